package dev.sallyport.warden;

import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Inmates;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/// Looks for the values of a session's secrets where its sandbox could read them: in environments
/// and command lines of its processes, and in the files that we write for it. The warden looks,
/// from outside: so no value leaves it, and nothing that the sandbox says counts.
record Exposure(SecretFiles files, AppTokens apps, Sidecars sidecars) {
    SecretsApi.Exposure of(Session session) throws OperationException {
        Identity identity =
                session.identity()
                        .orElseThrow(
                                () ->
                                        OperationException.conflict(
                                                "The sandbox is not running.",
                                                "Start it: sallyport start " + session.name()));
        try {
            Map<String, Predicate<String>> finders = new LinkedHashMap<>();
            List<String> skipped = new ArrayList<>();
            collect(session, finders, skipped);
            ExposureSearch search = new ExposureSearch(finders);
            searchProcesses(identity, search);
            try (DirectoryStream<Path> own = Files.newDirectoryStream(session.spec().files())) {
                own.forEach(
                        path -> {
                            if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                                search.inFile(path);
                            }
                        });
            }
            return new SecretsApi.Exposure(
                    List.copyOf(finders.keySet()),
                    skipped,
                    search.places(),
                    search.told(),
                    sidecars.pid(session));
        } catch (IOException | DirectoryIteratorException e) {
            throw OperationException.failed(e);
        }
    }

    private static void searchProcesses(Identity identity, ExposureSearch search) {
        try {
            Inmates inmates = Inmates.of(identity);
            for (Path process : inmates.processes()) {
                search.inProcess(process, () -> inmates.has(process));
            }
        } catch (IOException | DirectoryIteratorException e) {
            search.notIn("its processes: " + e.getMessage());
        }
    }

    private void collect(
            Session session, Map<String, Predicate<String>> finders, List<String> skipped)
            throws IOException {
        for (SecretFiles.Entry entry : files.list()) {
            Optional<StoredSecret> secret =
                    AttachMessages.mayUse(session, entry) ? find(entry) : Optional.empty();
            if (secret.isEmpty()) {
                continue;
            }
            List<Secret> values = new ArrayList<>(secret.get().values());
            if (entry.app().isPresent()) {
                values.addAll(apps.tokens(session.id()));
            }
            if (values.stream().allMatch(Secret::canBeFound)) {
                finders.put(
                        entry.name(),
                        values.stream().map(Secret::finder).reduce(_ -> false, Predicate::or));
            } else {
                skipped.add(entry.name());
            }
            values.forEach(Secret::wipe);
            secret.get().wipe();
        }
    }

    private Optional<StoredSecret> find(SecretFiles.Entry entry) throws IOException {
        return entry.app().isPresent()
                ? files.findApp(entry.name(), entry.host())
                : files.find(entry.name(), entry.host());
    }

    /// One search for the values of secrets. Only what was read to its end counts as searched;
    /// whatever could not be is told like a find, because nothing is known about it.
    static final class ExposureSearch {
        private static final int PLACE_BYTES_MAX = 8 << 20;
        private static final int TOLD_MAX = 20;

        private final Map<String, Predicate<String>> finders;
        private final List<String> found = new ArrayList<>();
        private final List<String> unread = new ArrayList<>();
        private int places;
        private int environments;

        /// @param finders by the secret's name
        ExposureSearch(Map<String, Predicate<String>> finders) {
            this.finders = new LinkedHashMap<>(finders);
        }

        /// @param process its directory below `/proc`
        /// @param inside whether what has this number is still one of the sandbox's; asked when the
        ///   file is open, since from then on it stays that process's
        void inProcess(Path process, BooleanSupplier inside) {
            BooleanSupplier ended = () -> Inmates.hasEnded(process) || !inside.getAsBoolean();
            if (in(process.resolve("environ"), inside, ended)) {
                environments++;
            }
            in(process.resolve("cmdline"), inside, ended);
        }

        void inFile(Path file) {
            in(file, () -> true, () -> Files.notExists(file));
        }

        /// @param why what cannot be searched
        void notIn(String why) {
            unread.add(why);
        }

        /// How many places were read.
        int places() {
            return places;
        }

        /// Finds first, then what could not be searched.
        List<String> told() {
            List<String> all = new ArrayList<>(found);
            all.addAll(unread);
            if (environments == 0) {
                all.add("no environment could be read");
            }
            return all.stream().limit(TOLD_MAX).toList();
        }

        private boolean in(Path place, BooleanSupplier meant, BooleanSupplier gone) {
            try (InputStream in = Files.newInputStream(place)) {
                if (!meant.getAsBoolean()) {
                    return false;
                }
                byte[] bytes = in.readNBytes(PLACE_BYTES_MAX + 1);
                search(place, new String(bytes, StandardCharsets.ISO_8859_1));
                if (bytes.length <= PLACE_BYTES_MAX) {
                    places++;
                    return true;
                }
                unread.add(place + " is too large to be searched");
            } catch (IOException e) {
                if (!gone.getAsBoolean()) {
                    unread.add(place + " cannot be read");
                }
            }
            return false;
        }

        private void search(Path place, String text) {
            finders.forEach(
                    (name, finder) -> {
                        if (finder.test(text)) {
                            found.add(name + " in " + place);
                        }
                    });
        }
    }
}
