package dev.sallyport.config;

import dev.sallyport.credential.Credential;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.HostName;
import java.io.IOException;
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

/// The directory of secrets: one private file each, replaced as a whole, one secret per host. Every
/// file is verified each time it is read, so that a secret that was laid open is not used on.
public final class SecretFiles {
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,30}");

    private final SealedFiles files;

    /// Files that are not encrypted.
    public SecretFiles(Path directory) {
        this(new SealedFiles(directory, Optional.empty()));
    }

    public SecretFiles(SealedFiles files) {
        this.files = files;
    }

    /// A secret without its value.
    public record Entry(
            String name,
            HostName host,
            Optional<String> user,
            Instant updated,
            Optional<Instant> rotated) {
        public SecretKind kind() {
            return SecretKind.of(user);
        }
    }

    /// Adds or replaces. New requests use the new value; sessions keep the one they began with
    /// until they are given the new one.
    ///
    /// @param user absent for a secret of the kind `token`
    public synchronized void set(String name, HostName host, Optional<String> user, Secret value)
            throws IOException {
        requireName(name);
        if (user.isPresent() && !SecretFile.isUser(user.get())) {
            throw new ConfigException(
                    "The user name of a secret may have only letters, digits and . _ @ + -",
                    "Leave it out to use the default for the kind of host.");
        }
        List<SecretFile> others = loadAllBut(name);
        others.forEach(other -> other.value().wipe());
        for (SecretFile other : others) {
            if (other.host().equals(host)) {
                throw new ConfigException(
                        host + " already has the secret " + other.name() + ".",
                        "Run: sallyport secret remove " + other.name());
            }
        }
        write(new SecretFile(name, host, user, Instant.now(), Optional.empty(), value));
    }

    /// Replaces the value alone: whom it belongs to stays as it was set.
    public synchronized void rotate(String name, Secret value) throws IOException {
        requireName(name);
        if (!files.names().contains(name)) {
            throw new ConfigException(
                    "There is no secret named " + name + ".",
                    "List them with: sallyport secret list");
        }
        SecretFile present = load(name);
        present.value().wipe();
        write(present.rotated(Instant.now(), value));
    }

    /// All secrets without their values, by name.
    public synchronized List<Entry> list() throws IOException {
        List<SecretFile> all = loadAllBut("");
        all.forEach(file -> file.value().wipe());
        return all.stream()
                .map(
                        file ->
                                new Entry(
                                        file.name(),
                                        file.host(),
                                        file.user(),
                                        file.updated(),
                                        file.rotated()))
                .toList();
    }

    /// Whether there was one.
    public synchronized boolean remove(String name) throws IOException {
        requireName(name);
        return files.remove(name);
    }

    /// Encrypts them all to the key that is configured; how many there are.
    public synchronized int seal() throws IOException {
        return files.seal();
    }

    /// All secrets, ready for a [dev.sallyport.credential.CredentialBook].
    ///
    /// @param userOf the user name that goes with a token of this host when the secret names none
    public synchronized List<Credential> load(Function<HostName, String> userOf)
            throws IOException {
        List<Credential> credentials = new ArrayList<>();
        for (SecretFile file : loadAllBut("")) {
            String user = file.user().orElseGet(() -> userOf.apply(file.host()));
            credentials.add(new Credential(file.host(), user, file.value()));
        }
        return credentials;
    }

    /// The value of one secret, if it belongs to this host.
    public synchronized Optional<Secret> find(String name, HostName host) throws IOException {
        Optional<Secret> found = Optional.empty();
        for (SecretFile file : loadAllBut("")) {
            if (file.name().equals(name) && file.host().equals(host)) {
                found = Optional.of(file.value());
            } else {
                file.value().wipe();
            }
        }
        return found;
    }

    /// Setting a secret again is the remedy for a damaged file, which therefore must not stand in
    /// the way.
    private List<SecretFile> loadAllBut(String replaced) throws IOException {
        List<SecretFile> found = new ArrayList<>();
        Map<HostName, String> seen = new HashMap<>();
        for (String name : files.names()) {
            if (name.equals(replaced)) {
                continue;
            }
            SecretFile file = load(name);
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

    private SecretFile load(String name) throws IOException {
        if (!isName(name)) {
            throw new ConfigException(
                    files.file(name) + " is not a secret file.",
                    "Remove it. Add secrets with: sallyport secret set NAME");
        }
        byte[] bytes = files.read(name);
        try {
            return SecretFile.parse(name, bytes, files.file(name));
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    private void write(SecretFile file) throws IOException {
        byte[] bytes = file.toBytes();
        try {
            files.write(file.name(), bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    private static void requireName(String name) throws ConfigException {
        if (!isName(name)) {
            throw new ConfigException(
                    "The name of a secret has 1 to 31 lower-case letters, digits and hyphens.",
                    "Choose another name, such as github.");
        }
    }
}
