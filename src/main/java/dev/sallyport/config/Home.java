package dev.sallyport.config;

import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The one directory that holds everything Sallyport keeps: rules, secrets, record, sessions,
/// sockets. `SALLYPORT_HOME` names it; the default is `~/.sallyport`.
///
/// Where root runs wardens for the accounts of a machine, each account has such a directory of
/// root's, and around it what the account must come to: its control socket and the files of its
/// sandboxes. `SALLYPORT_SERVICE` names the directory of all of them.
///
/// @param lodging what is around it, where root runs wardens for others
public record Home(Path root, Optional<Path> lodging) {
    /// `sun_path` has 108 bytes, one of them for the final NUL.
    private static final int SOCKET_PATH_BYTES_MAX = 107;

    /// A home of the account that uses it.
    public Home(Path root) {
        this(root, Optional.empty());
    }

    /// The home of one account below the directory of all.
    public static Home lodged(Path service, int uid) {
        Path lodging = service.resolve("users").resolve(Integer.toString(uid));
        return new Home(lodging.resolve("home"), Optional.of(lodging));
    }

    public static Home resolve(Map<String, String> environment) throws ConfigException {
        String chosen = environment.getOrDefault("SALLYPORT_HOME", "");
        Path root =
                chosen.isEmpty() ? personsHome(environment).resolve(".sallyport") : Path.of(chosen);
        if (!root.isAbsolute()) {
            throw new ConfigException(
                    "SALLYPORT_HOME is not an absolute path.",
                    "Set it to a path that starts with /.");
        }
        return new Home(root.normalize());
    }

    static Path personsHome(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "");
        return Path.of(home.isEmpty() ? System.getProperty("user.home", "/") : home);
    }

    /// Makes what is missing with mode 0700 and verifies all of it.
    public void create() throws IOException {
        if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = root.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
        }
        requireUsablePath();
        for (Path directory :
                new Path[] {
                    root, secrets(), authorities(), auditDirectory(), run(), nativeLibraries()
                }) {
            Ownership.createPrivateDirectory(directory);
        }
        if (lodging.isEmpty()) {
            Ownership.createPrivateDirectory(sandboxes());
            Ownership.createPrivateDirectory(homes());
        }
    }

    /// Makes one directory, which is not there before it is needed.
    public void create(Path directory) throws IOException {
        Ownership.createPrivateDirectory(root);
        Ownership.createPrivateDirectory(directory);
    }

    /// Verifies without making anything: for whoever only connects.
    public void verify() throws IOException {
        requireUsablePath();
        if (lodging.isPresent()) {
            Ownership.requireRootsDirectory(lodging.get());
            return;
        }
        for (Path directory : new Path[] {root, run()}) {
            Ownership.requirePrivateDirectory(directory);
        }
    }

    private void requireUsablePath() throws IOException {
        int length = controlSocket().toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > SOCKET_PATH_BYTES_MAX) {
            throw new ConfigException(
                    "The path of the control socket has " + length + " bytes; Linux allows 107.",
                    "Set SALLYPORT_HOME to a shorter path.");
        }
        Ownership.requireSafeAncestors(root);
    }

    /// One for all accounts, where root runs their wardens.
    public Path policyFile() {
        return lodging.map(around -> around.resolve("../../policy.yaml").normalize())
                .orElse(root.resolve("policy.yaml"));
    }

    /// A person's own profiles, for [AgentProfiles]; need not be there.
    public Path agents() {
        return root.resolve("agents");
    }

    /// The project files that a person trusts, for [TrustedFiles].
    public Path trustedFiles() {
        return root.resolve("trusted.json");
    }

    /// Files that were taken out of workspaces, because git on this machine would run something.
    public Path aside() {
        return root.resolve("aside");
    }

    /// What there was in the workspaces of sandboxes that stay when somebody last looked.
    public Path watched() {
        return root.resolve("watched");
    }

    /// The directories that sandboxes have or had, for [KnownWorkspaces].
    public Path knownWorkspaces() {
        return root.resolve("workspaces.json");
    }

    /// Workspaces that are clones, each in a directory of its own; see `run --clone`.
    public Path clones() {
        return root.resolve("clones");
    }

    public Path secrets() {
        return root.resolve("secrets");
    }

    /// The keys of the sandboxes' certificate authorities; no sandbox ever has it mounted.
    public Path authorities() {
        return root.resolve("authorities");
    }

    /// What a gateway keeps about other machines whose sandboxes it serves.
    public Path fleet() {
        return root.resolve("fleet");
    }

    /// What is known of gateways on other machines.
    public Path gateways() {
        return root.resolve("gateways");
    }

    public Path auditDirectory() {
        return root.resolve("audit");
    }

    public Path auditLog() {
        return auditDirectory().resolve("audit.jsonl");
    }

    /// Signs the record. It lies outside its directory, so that copies of that do not have it.
    public Path auditKey() {
        return root.resolve("audit.key");
    }

    public Path database() {
        return root.resolve("state.db");
    }

    /// Which of the gateways that share a store this one is; there is none without such a store.
    public Path gatewayId() {
        return root.resolve("gateway-id");
    }

    public Path run() {
        return root.resolve("run");
    }

    public Path controlSocket() {
        return lodging.orElse(run()).resolve("control.sock");
    }

    public Path wardenPid() {
        return run().resolve("warden.pid");
    }

    public Path wardenLog() {
        return run().resolve("warden.log");
    }

    /// Where native libraries are unpacked: never in a directory that others can write to.
    public Path nativeLibraries() {
        return run().resolve("native");
    }

    /// Whoever makes a sandbox of one's own account must be able to read its files.
    public Path sandboxes() {
        return lodging.orElse(root).resolve("sandboxes");
    }

    /// The home directories of sandboxes that last.
    public Path homes() {
        return lodging.orElse(root).resolve("homes");
    }

    /// The configuration files that are mounted read-only into one sandbox.
    public Path sandbox(SessionId session) {
        return sandboxes().resolve(session.value());
    }
}
