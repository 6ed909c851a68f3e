package dev.sallyport.fleet;

import dev.sallyport.config.AgeKey;
import dev.sallyport.fixture.AgeKeys;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// A gateway's machine whose time passes only when a test says so.
final class Fleet implements InstantSource {
    static final String ADDRESS = "gateway.example.com:8443";

    private final Opening opening;
    private Instant now = Instant.parse("2031-03-01T10:00:00Z");

    FleetAuthority authority;
    Hosts hosts;
    SessionBadges badges;
    Pods pods;

    /// Where it is kept, as a process finds it that begins.
    interface Opening {
        FleetStore open() throws Exception;
    }

    FleetStore store;

    Fleet(Opening opening) throws Exception {
        this.opening = opening;
        restart();
    }

    Fleet(Path directory, Optional<AgeKey> key) throws Exception {
        this(() -> FleetStore.files(directory, key));
    }

    Fleet(Path directory) throws Exception {
        this(directory, Optional.empty());
    }

    /// A key as `age-keygen` makes it.
    static AgeKey ageKey(Path file) throws Exception {
        return AgeKeys.create(file);
    }

    @Override
    public Instant instant() {
        return now;
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    /// The next process knows what is kept, and nothing else.
    void restart() throws Exception {
        store = opening.open();
        authority = FleetAuthority.open(store, this);
        hosts = Hosts.open(store, this, authority);
        badges = SessionBadges.open(store, this, authority);
        pods = Pods.open(store, this, hosts, badges);
    }

    String audience() throws Exception {
        return authority.audiences().getLast();
    }

    /// The key of a host that was enrolled.
    ///
    /// @param place a directory of the host
    HostKey enrolled(Path place, String name) throws Exception {
        EnrolmentCode code =
                EnrolmentCode.parse(hosts.invite(name, ADDRESS, Duration.ofMinutes(10)));
        HostKey hostKey = HostKey.create(place, Optional.empty(), name);
        var _ = hosts.enrol(Enrolment.request(code, hostKey));
        return hostKey;
    }

    /// What a sidecar makes.
    static KeyPair sidecarKeys() throws Exception {
        return keys("secp256r1");
    }

    static KeyPair keys(String curve) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return generator.generateKeyPair();
    }

    static byte[] sign(PrivateKey key, byte[] text) throws Exception {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key);
        signature.update(text);
        return signature.sign();
    }
}
