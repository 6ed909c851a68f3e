package dev.sallyport.config;

import dev.sallyport.config.StoredSecret.StoredLogin;
import dev.sallyport.config.StoredSecret.Tokens;
import dev.sallyport.credential.AppKey;
import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.Secret;
import dev.sallyport.credential.TokenForm;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// The directory of secrets: one private file each, replaced as a whole, one secret per host. Every
/// file is verified each time it is read, so that a secret that was laid open is not used on.
public final class SecretFiles {
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,30}");

    private final SealedFiles files;

    public SecretFiles(SealedFiles files) {
        this.files = files;
    }

    /// A secret without its value.
    ///
    /// @param app id of a GitHub App
    /// @param form what kind of GitHub token it is, if it looks like one
    public record Entry(
            String name,
            HostName host,
            Optional<String> user,
            Instant updated,
            Optional<Instant> rotated,
            SecretKind kind,
            Optional<LoginEntry> login,
            Optional<String> app,
            Optional<TokenForm> form) {
        static Entry of(SecretFile file) {
            boolean token = file.kind() == SecretKind.TOKEN;
            return new Entry(
                    file.name(),
                    file.host(),
                    file.user(),
                    file.updated(),
                    file.rotated(),
                    file.kind(),
                    file.stored().login().map(login -> LoginEntry.of(login, file.stored().value())),
                    file.stored().app(),
                    token ? TokenForm.of(file.stored().value()) : Optional.empty());
        }
    }

    /// A login without its tokens.
    ///
    /// @param since when it was stored or last renewed
    /// @param expires of the access token
    /// @param account that it is for, if it says so
    public record LoginEntry(
            String endpoint, Instant since, Optional<String> expires, Optional<String> account) {
        static LoginEntry of(StoredLogin login, Secret access) {
            String endpoint = login.text().endpoint();
            return new LoginEntry(
                    endpoint,
                    login.since(),
                    login.text().expires(),
                    LoginProvider.account(endpoint, access));
        }
    }

    /// Adds or replaces. New requests use the new value; sessions keep the one they began with
    /// until they are given the new one.
    ///
    /// @param user absent for a secret of the kind `token`
    public void set(String name, HostName host, Optional<String> user, Secret value)
            throws IOException {
        set(name, host, user, new StoredSecret(value, Optional.empty()));
    }

    /// As [#set] for an access token that is renewed.
    public void setLogin(String name, HostName host, Secret access, LoginText login)
            throws IOException {
        try {
            login.check();
        } catch (MalformedNameException e) {
            throw new ConfigException(
                    "The login cannot be used: " + e.getMessage() + ".", "Correct it.");
        }
        StoredLogin stored = StoredLogin.of(login, Instant.now());
        set(name, host, Optional.empty(), new StoredSecret(access, Optional.of(stored)));
    }

    /// As [#set] for the key of a GitHub App.
    ///
    /// @param app id or client id
    /// @param key as [AppKey#ofPem] makes it
    public void setApp(String name, HostName host, String app, Secret key) throws IOException {
        requireKey(key);
        if (!StoredSecret.isApp(app)) {
            throw new ConfigException(
                    "The id of a GitHub App has only letters, digits and . _ -",
                    "Give the App ID or the client ID from the App's settings: --app 123456");
        }
        set(
                name,
                host,
                Optional.empty(),
                new StoredSecret(key, Optional.empty(), Optional.of(app)));
    }

    private static void requireKey(Secret key) throws ConfigException {
        try {
            var _ = AppKey.of(key);
        } catch (AppKey.BadKeyException e) {
            throw new ConfigException(e.problem(), e.remedy());
        }
    }

    /// A value of the form in which keys of AWS are kept is such a key and nothing else.
    private static void requireForm(Secret value, boolean aws) throws ConfigException {
        if (aws ? AwsKey.of(value).isEmpty() : AwsKey.isOne(value)) {
            throw new ConfigException(
                    aws
                            ? "This is not an access key of AWS."
                            : "This is an access key of AWS, and the secret is of another kind.",
                    "Give a value of the same kind, or set the secret again.");
        }
    }

    private synchronized void set(
            String name, HostName host, Optional<String> user, StoredSecret value)
            throws IOException {
        requireName(name);
        if (SecretKind.of(user, value) == SecretKind.AWS) {
            requireForm(value.value(), user.isEmpty());
        }
        if (user.isPresent() && !SecretFile.isUser(user.get())) {
            throw new ConfigException(
                    "The user name of a secret may have only letters, digits and . _ @ + -",
                    "Leave it out to use the default for the kind of host.");
        }
        List<SecretFile> others = loadAllBut(name);
        others.forEach(other -> other.stored().wipe());
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
        SecretFile present = present(name);
        SecretKind kind = present.kind();
        present.stored().wipe();
        if (kind == SecretKind.OAUTH) {
            throw new ConfigException(
                    "The secret " + name + " is a login, not a single value.",
                    "Log in again and run: sallyport secret rotate " + name + " < FILE");
        }
        requireForm(value, kind == SecretKind.AWS);
        Optional<String> app = present.stored().app();
        if (app.isPresent()) {
            requireKey(value);
        }
        write(present.rotated(Instant.now(), new StoredSecret(value, Optional.empty(), app)));
    }

    /// As [#rotate] for a login that was made anew: where it is renewed stays as it was set.
    public synchronized void rotateLogin(String name, Tokens tokens) throws IOException {
        SecretFile present = present(name);
        try {
            Instant now = Instant.now();
            StoredSecret next =
                    present.with(tokens, now)
                            .orElseThrow(
                                    () ->
                                            new ConfigException(
                                                    "The secret " + name + " is not a login.",
                                                    "Give its value alone, or set it again with --kind oauth."));
            write(present.rotated(now, next));
        } finally {
            present.stored().wipe();
        }
    }

    /// Replaces the tokens of a login by those that its endpoint gave for them, on the disk when
    /// this returns.
    ///
    /// @param version of the tokens that they are the next of
    /// @return false, and nothing has changed, when there is another one, or none
    public synchronized boolean renew(String name, String version, Tokens tokens)
            throws IOException {
        if (!isName(name) || !files.names().contains(name)) {
            return false;
        }
        SecretFile present = load(name);
        try {
            boolean same =
                    present.stored().login().filter(l -> l.version().equals(version)).isPresent();
            if (same) {
                write(present.renewed(present.with(tokens, Instant.now()).orElseThrow()));
            }
            return same;
        } finally {
            present.stored().wipe();
        }
    }

    private SecretFile present(String name) throws IOException {
        requireName(name);
        if (!files.names().contains(name)) {
            throw new ConfigException(
                    "There is no secret named " + name + ".",
                    "List them with: sallyport secret list");
        }
        return load(name);
    }

    /// All secrets without their values, by name.
    public synchronized List<Entry> list() throws IOException {
        List<SecretFile> all = loadAllBut("");
        List<Entry> entries = all.stream().map(Entry::of).toList();
        all.forEach(file -> file.stored().wipe());
        return entries;
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

    /// All secrets that git hosts may get, ready for a [dev.sallyport.credential.CredentialBook].
    ///
    /// @param userOf the user name that goes with a token of this host when the secret names none
    public synchronized List<Credential> load(Function<HostName, String> userOf)
            throws IOException {
        List<Credential> credentials = new ArrayList<>();
        for (SecretFile file : loadAllBut("")) {
            if (!file.kind().isForGit()) {
                file.stored().wipe();
                continue;
            }
            String user = file.user().orElseGet(() -> userOf.apply(file.host()));
            credentials.add(new Credential(file.host(), user, file.stored().value()));
        }
        return credentials;
    }

    /// The values of one secret, if it belongs to this host. Never the key of a GitHub App, which
    /// no rule can have sent.
    public Optional<StoredSecret> find(String name, HostName host) throws IOException {
        return find(file -> isMeant(file, name, host) && file.stored().app().isEmpty());
    }

    /// The id and key of a GitHub App, for whoever signs with it.
    public Optional<StoredSecret> findApp(String name, HostName host) throws IOException {
        return find(file -> isMeant(file, name, host) && file.stored().app().isPresent());
    }

    private static boolean isMeant(SecretFile file, String name, HostName host) {
        return file.name().equals(name) && file.host().equals(host);
    }

    private synchronized Optional<StoredSecret> find(Predicate<SecretFile> meant)
            throws IOException {
        Optional<StoredSecret> found = Optional.empty();
        for (SecretFile file : loadAllBut("")) {
            if (meant.test(file)) {
                found = Optional.of(file.stored());
            } else {
                file.stored().wipe();
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

    public static boolean isName(String text) {
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
