package dev.sallyport.config;

import dev.sallyport.credential.Credential;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The directory of secrets: one private file each, replaced as a whole, one secret per host. Every
/// file is verified each time it is read, so that a secret that was laid open is not used on.
public final class SecretFiles {
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,30}");
    private static final String SUFFIX = ".json";

    private final Path directory;

    public SecretFiles(Path directory) {
        this.directory = directory;
    }

    /// A secret without its value.
    public record Entry(String name, HostName host, Optional<String> user, Instant updated) {}

    /// Adds or replaces. New requests use the new value; sessions keep the one they began with
    /// until they are given the new one.
    public synchronized void set(String name, HostName host, Optional<String> user, Secret value)
            throws IOException {
        requireName(name);
        if (user.isPresent() && !SecretFile.isUser(user.get())) {
            throw new ConfigException(
                    "The user name of a secret is made of letters, digits and . _ @ + -",
                    "Leave it out to use the one that the host's kind implies.");
        }
        for (SecretFile other : loadAllBut(name)) {
            if (other.host().equals(host)) {
                throw new ConfigException(
                        host + " already has the secret " + other.name() + ".",
                        "Run: sallyport secret remove " + other.name());
            }
        }
        write(new SecretFile(name, host, user, Instant.now(), value));
    }

    /// All secrets without their values, by name.
    public synchronized List<Entry> list() throws IOException {
        return loadAll().stream()
                .map(file -> new Entry(file.name(), file.host(), file.user(), file.updated()))
                .toList();
    }

    /// Whether there was one.
    public synchronized boolean remove(String name) throws IOException {
        requireName(name);
        Ownership.requirePrivateDirectory(directory);
        return Files.deleteIfExists(path(name));
    }

    /// All secrets, ready for a [dev.sallyport.credential.CredentialBook].
    ///
    /// @param userOf the user name that goes with a token of this host when the secret names none
    public synchronized List<Credential> load(Function<HostName, String> userOf)
            throws IOException {
        List<Credential> credentials = new ArrayList<>();
        for (SecretFile file : loadAll()) {
            String user = file.user().orElseGet(() -> userOf.apply(file.host()));
            credentials.add(new Credential(file.host(), user, file.value()));
        }
        return credentials;
    }

    /// The value of one secret, if it belongs to this host.
    public synchronized Optional<Secret> find(String name, HostName host) throws IOException {
        return loadAll().stream()
                .filter(file -> file.name().equals(name) && file.host().equals(host))
                .map(SecretFile::value)
                .findFirst();
    }

    private List<SecretFile> loadAll() throws IOException {
        return loadAllBut("");
    }

    /// Setting a secret again is the remedy for a damaged file, which therefore must not stand in
    /// the way.
    private List<SecretFile> loadAllBut(String replaced) throws IOException {
        Ownership.requirePrivateDirectory(directory);
        List<SecretFile> found = new ArrayList<>();
        Map<HostName, String> seen = new HashMap<>();
        for (String name : names()) {
            if (name.equals(replaced)) {
                continue;
            }
            Ownership.requirePrivateFile(path(name));
            SecretFile file = SecretFile.load(name, path(name));
            String other = seen.put(file.host(), name);
            if (other != null) {
                throw new ConfigException(
                        file.host() + " has two secrets, " + other + " and " + name + ".",
                        "Remove one: sallyport secret remove " + name);
            }
            found.add(file);
        }
        return found;
    }

    private List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> entries = Files.list(directory)) {
            for (Path entry : entries.sorted().toList()) {
                String file = String.valueOf(entry.getFileName());
                if (file.endsWith(PrivateFile.UNFINISHED)) {
                    continue;
                }
                String name =
                        file.endsWith(SUFFIX)
                                ? file.substring(0, file.length() - SUFFIX.length())
                                : "";
                if (!isName(name)) {
                    throw new ConfigException(
                            entry + " is not a secret's file.",
                            "Remove it; secrets are added with: sallyport secret set NAME");
                }
                names.add(name);
            }
        }
        return names;
    }

    private void write(SecretFile file) throws IOException {
        byte[] bytes = file.toBytes();
        try {
            PrivateFile.replace(path(file.name()), bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    private Path path(String name) {
        return directory.resolve(name + SUFFIX);
    }

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    private static void requireName(String name) throws ConfigException {
        if (!isName(name)) {
            throw new ConfigException(
                    "A secret's name is made of 1 to 31 lower-case letters, digits and hyphens.",
                    "Choose another name, such as github.");
        }
    }
}
