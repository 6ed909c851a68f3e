package dev.sallyport.warden;

import dev.sallyport.config.SecretFiles;
import dev.sallyport.control.Api;
import dev.sallyport.credential.Secret;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Inmates;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// Looks for the values of a session's secrets where its sandbox could read them: in environments
/// and command lines of its processes, and in the files that are mounted for it. The warden looks,
/// from outside: so no value leaves it, and nothing that the sandbox says counts.
record Exposure(SecretFiles files) {
    private static final int PLACE_BYTES_MAX = 8 << 20;
    private static final int FOUND_MAX = 20;

    Api.Exposure of(Session session) throws OperationException {
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
            List<Path> places = places(session, identity);
            return new Api.Exposure(
                    List.copyOf(finders.keySet()), skipped, places.size(), found(places, finders));
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    private void collect(
            Session session, Map<String, Predicate<String>> finders, List<String> skipped)
            throws IOException {
        for (SecretFiles.Entry entry : files.list()) {
            Optional<Secret> secret =
                    AttachMessages.mayUse(session, entry)
                            ? files.find(entry.name(), entry.host())
                            : Optional.empty();
            if (secret.isPresent() && secret.get().canBeFound()) {
                finders.put(entry.name(), secret.get().finder());
            } else if (secret.isPresent()) {
                skipped.add(entry.name());
            }
            secret.ifPresent(Secret::wipe);
        }
    }

    private static List<Path> places(Session session, Identity identity) throws IOException {
        List<Path> places = new ArrayList<>();
        for (Path process : Inmates.of(identity)) {
            places.add(process.resolve("environ"));
            places.add(process.resolve("cmdline"));
        }
        try (DirectoryStream<Path> mounted = Files.newDirectoryStream(session.spec().files())) {
            mounted.forEach(places::add);
        }
        return places;
    }

    private static List<String> found(List<Path> places, Map<String, Predicate<String>> finders) {
        List<String> found = new ArrayList<>();
        for (Path place : places) {
            Optional<String> text = text(place);
            if (text.isEmpty()) {
                continue;
            }
            if (text.get().length() > PLACE_BYTES_MAX) {
                found.add(place + " is too large to be searched");
            }
            finders.forEach(
                    (name, finder) -> {
                        if (finder.test(text.get())) {
                            found.add(name + " in " + place);
                        }
                    });
        }
        return found.subList(0, Math.min(found.size(), FOUND_MAX));
    }

    /// One character for each byte; empty when it has gone.
    private static Optional<String> text(Path place) {
        if (Files.isDirectory(place)) {
            return Optional.empty();
        }
        try (InputStream in = Files.newInputStream(place)) {
            byte[] bytes = in.readNBytes(PLACE_BYTES_MAX + 1);
            return Optional.of(new String(bytes, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
