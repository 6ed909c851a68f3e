package dev.sallyport.warden;

import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.control.Api;
import dev.sallyport.credential.Secret;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Inmates;
import dev.sallyport.session.Session;
import java.io.IOException;
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
import java.util.function.Predicate;

/// Looks for the values of a session's secrets where its sandbox could read them: in environments
/// and command lines of its processes, and in the files that we write for it. The warden looks,
/// from outside: so no value leaves it, and nothing that the sandbox says counts.
record Exposure(SecretFiles files, AppTokens apps) {
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
            return new Api.Exposure(
                    List.copyOf(finders.keySet()), skipped, search.places(), search.told());
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
}
