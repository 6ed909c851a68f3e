package dev.sallyport.fleet;

import dev.sallyport.config.ConfigException;
import dev.sallyport.credential.Secret;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The enrolment codes that are open: each is good once, until it expires, and for five attempts.
/// Every change is kept before it has an effect, so a code that was used is used after a crash.
final class EnrolmentCodes {
    static final int OPEN_MAX = 16;
    static final int WRONG_MAX = 5;

    private static final Duration VALID_MIN = Duration.ofMinutes(1);
    private static final Duration VALID_MAX = Duration.ofHours(24);
    private static final String FILE = "codes";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final FleetStore store;
    private final Shelf<Stored> shelf;
    private final InstantSource clock;

    private EnrolmentCodes(FleetStore store, Shelf<Stored> shelf, InstantSource clock) {
        this.store = store;
        this.shelf = shelf;
        this.clock = clock;
    }

    /// @param key see [EnrolmentCode#macKey]
    /// @param wrong how many lines named it that were not made with it
    private record Open(
            String id, Secret key, String hostName, long expiresEpochSecond, int wrong) {
        Open {
            if (!ID.matcher(id).matches() || !MachineName.isOne(hostName)) {
                throw new IllegalArgumentException("this is not a code");
            }
        }

        boolean isOver(Instant now) {
            return now.getEpochSecond() >= expiresEpochSecond;
        }
    }

    private record Stored(List<Open> open) {
        Stored {
            open = List.copyOf(open);
        }
    }

    static EnrolmentCodes open(FleetStore store, InstantSource clock) throws IOException {
        Shelf<Stored> shelf = store.shelf(FleetStore.CODES, Stored.class, (_, _) -> {});
        return new EnrolmentCodes(store, shelf, clock);
    }

    /// Within a change.
    ///
    /// @param address of the gateway, as hosts reach it
    String create(String hostName, String address, Duration valid, List<String> authorityPems)
            throws IOException {
        MachineName.require(hostName, "a host");
        if (!EnrolmentCode.isAddress(address)) {
            throw new ConfigException(
                    "This is not the address of a gateway.",
                    "Write a host name or an address and a port, as in gateway.example.com:8443.");
        }
        if (valid.compareTo(VALID_MIN) < 0 || valid.compareTo(VALID_MAX) > 0) {
            throw new ConfigException(
                    "An enrolment code is good for 1 minute to 24 hours.", "Choose such a time.");
        }
        List<Open> next = alive();
        if (next.size() >= OPEN_MAX) {
            throw new ConfigException(
                    OPEN_MAX + " enrolment codes are open.",
                    "Use them, take them back, or wait until they expire.");
        }
        byte[] id = random(EnrolmentCode.ID_BYTES);
        byte[] secret = random(EnrolmentCode.SECRET_BYTES);
        try {
            String shown = HexFormat.of().formatHex(id);
            Instant expires = clock.instant().plus(valid);
            Secret key = EnrolmentCode.macKey(shown, EnrolmentCode.secret(secret));
            next.add(new Open(shown, key, hostName, expires.getEpochSecond(), 0));
            keep(next);
            return EnrolmentCode.write(hostName, address, expires, id, secret, authorityPems);
        } finally {
            Arrays.fill(secret, (byte) 0);
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /// The name that the code was made for; within a change.
    ///
    /// @throws RefusedException when no such code is open, or the request was not made with it;
    ///   that is counted
    String check(Enrolment.Parts request) throws IOException, RefusedException {
        Optional<Open> found = find(request.codeId());
        if (found.isEmpty()) {
            throw new RefusedException(FleetRefusal.UNKNOWN_CODE);
        }
        Open code = found.get();
        if (!request.isMadeWith(code.key(), code.hostName())) {
            List<Open> next = without(code);
            if (code.wrong() + 1 < WRONG_MAX) {
                next.add(
                        new Open(
                                code.id(),
                                code.key(),
                                code.hostName(),
                                code.expiresEpochSecond(),
                                code.wrong() + 1));
            }
            keep(next);
            throw new RefusedException(FleetRefusal.WRONG_CODE);
        }
        return code.hostName();
    }

    /// Whether it was open; it is no longer.
    boolean close(String id) throws IOException {
        return store.update(
                () -> {
                    Optional<Open> found = find(id);
                    if (found.isPresent()) {
                        keep(without(found.get()));
                    }
                    return found.isPresent();
                });
    }

    List<Hosts.Invitation> list() {
        return alive().stream()
                .map(
                        code ->
                                new Hosts.Invitation(
                                        code.id(),
                                        code.hostName(),
                                        Instant.ofEpochSecond(code.expiresEpochSecond())))
                .toList();
    }

    private Optional<Open> find(String id) {
        return alive().stream().filter(code -> code.id().equals(id)).findFirst();
    }

    private List<Open> without(Open gone) {
        List<Open> rest = alive();
        rest.remove(gone);
        return rest;
    }

    private List<Open> alive() {
        Instant now = clock.instant();
        List<Open> alive = new ArrayList<>(shelf.find(FILE).map(Stored::open).orElse(List.of()));
        alive.removeIf(code -> code.isOver(now));
        return alive;
    }

    private void keep(List<Open> next) throws IOException {
        shelf.write(FILE, new Stored(next));
    }
}
