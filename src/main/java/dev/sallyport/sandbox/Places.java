package dev.sallyport.sandbox;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The places that cannot be mounted. `docs/mounts.md` lists them; a test compares.
public final class Places {
    /// The kernel's own: through them everything else can be reached.
    static final List<String> KERNEL = List.of("/dev", "/proc", "/sys");

    /// Neither these nor anything in them.
    static final List<String> SYSTEM =
            List.of(
                    "/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/run", "/sbin",
                    "/usr");

    /// Not these themselves; a project may well lie in them.
    static final List<String> SHARED =
            List.of(
                    "/home",
                    "/media",
                    "/mnt",
                    "/opt",
                    "/root",
                    "/srv",
                    "/tmp",
                    "/var",
                    "/var/cache",
                    "/var/lib",
                    "/var/log",
                    "/var/spool",
                    "/var/tmp");

    /// State of container engines and of Sallyport itself.
    static final List<String> ENGINES =
            List.of(
                    "/var/lib/containerd",
                    "/var/lib/containers",
                    "/var/lib/docker",
                    "/var/lib/kubelet",
                    "/var/lib/sallyport",
                    "/var/run");

    /// Where people's tools keep what must not leave, relative to the home directory.
    static final List<String> CREDENTIALS =
            List.of(
                    ".ssh",
                    ".aws",
                    ".azure",
                    ".config/composer",
                    ".config/containers",
                    ".config/doctl",
                    ".config/gcloud",
                    ".config/gh",
                    ".config/git",
                    ".config/github-copilot",
                    ".config/glab-cli",
                    ".config/go",
                    ".config/hub",
                    ".config/op",
                    ".config/pip",
                    ".config/pypoetry",
                    ".config/rclone",
                    ".gnupg",
                    ".kube",
                    ".docker",
                    ".netrc",
                    ".git-credentials",
                    ".gitconfig",
                    ".npmrc",
                    ".yarnrc.yml",
                    ".pip",
                    ".pypirc",
                    ".m2",
                    ".gradle",
                    ".nuget",
                    ".cargo/credentials",
                    ".cargo/credentials.toml",
                    ".gem",
                    ".gemrc",
                    ".bundle",
                    ".composer",
                    ".oci",
                    ".terraform.d",
                    ".terraformrc",
                    ".vault-token",
                    ".pgpass",
                    ".my.cnf",
                    ".password-store",
                    ".local/share/containers",
                    ".local/share/docker",
                    ".local/share/keyrings",
                    ".local/share/opencode",
                    ".claude",
                    ".claude.json",
                    ".codex",
                    ".copilot",
                    ".gemini",
                    ".mozilla",
                    ".config/google-chrome",
                    ".config/chromium");

    /// Variables that name further places; what the caller's environment has is refused, too. A
    /// list of paths is separated by colons.
    public static final List<String> VARIABLES =
            List.of(
                    "AWS_CONFIG_FILE",
                    "AWS_SHARED_CREDENTIALS_FILE",
                    "AWS_WEB_IDENTITY_TOKEN_FILE",
                    "AZURE_CONFIG_DIR",
                    "CARGO_HOME",
                    "CLOUDSDK_CONFIG",
                    "DBUS_SESSION_BUS_ADDRESS",
                    "DOCKER_CERT_PATH",
                    "DOCKER_CONFIG",
                    "DOCKER_HOST",
                    "GH_CONFIG_DIR",
                    "GIT_CONFIG_GLOBAL",
                    "GNUPGHOME",
                    "GOOGLE_APPLICATION_CREDENTIALS",
                    "GRADLE_USER_HOME",
                    "KUBECONFIG",
                    "NETRC",
                    "NPM_CONFIG_USERCONFIG",
                    "PASSWORD_STORE_DIR",
                    "PGPASSFILE",
                    "PIP_CONFIG_FILE",
                    "SSH_AUTH_SOCK",
                    "VAULT_CONFIG_PATH",
                    "XDG_CONFIG_HOME",
                    "XDG_RUNTIME_DIR");

    private Places() {}

    /// Whether a path is one of the kernel's, as far as its name tells.
    public static boolean isKernel(Path path) {
        Path plain = path.normalize();
        return KERNEL.stream().anyMatch(plain::startsWith);
    }

    /// @param named variable to a path that it holds
    static List<Place> of(Person person, Installation installation, Map<Path, String> named) {
        List<Place> places = new ArrayList<>();
        KERNEL.forEach(
                path -> add(places, Path.of(path), system(path), Place.Extent.OVERLAPPING, true));
        SYSTEM.forEach(
                path -> add(places, Path.of(path), system(path), Place.Extent.OVERLAPPING, false));
        ENGINES.forEach(
                path -> add(places, Path.of(path), system(path), Place.Extent.OVERLAPPING, false));
        SHARED.forEach(
                path ->
                        add(
                                places,
                                Path.of(path),
                                path + ", which belongs to the system or to several users",
                                Place.Extent.ITSELF,
                                false));
        addPersonal(places, person.home());
        Path own = installation.home();
        add(places, own, "Sallyport's own state directory", Place.Extent.OVERLAPPING, true);
        // The control socket of a guest lies beside them.
        Path around = installation.sandboxes().resolveSibling("control.sock");
        add(places, around, "Sallyport's control socket", Place.Extent.OVERLAPPING, true);
        named.forEach(
                (path, variable) -> {
                    String what = path + ", where $" + variable + " keeps credentials";
                    add(places, path, what, Place.Extent.OVERLAPPING, false);
                });
        return places;
    }

    /// Where credentials are kept in a home directory that need not be that of the account.
    public static List<String> inHome(String home) {
        return CREDENTIALS.stream().map(name -> home + "/" + name).toList();
    }

    /// What an environment says need not be a path; such places are not there.
    public static Map<Path, String> named(Map<String, String> variables) {
        Map<Path, String> named = new LinkedHashMap<>();
        variables.forEach(
                (text, variable) -> {
                    Path path = Path.of(text);
                    if (path.isAbsolute()) {
                        named.put(path, variable);
                    }
                });
        return named;
    }

    private static void addPersonal(List<Place> places, Path home) {
        if (home.getNameCount() > 0) {
            String what = "your home directory, with your keys in it";
            add(places, home, what, Place.Extent.CONTAINING, false);
        }
        for (String name : CREDENTIALS) {
            Path path = home.resolve(name);
            String what = path + ", where credentials are kept";
            add(places, path, what, Place.Extent.OVERLAPPING, false);
        }
    }

    private static String system(String path) {
        return "the system's " + path;
    }

    private static void add(
            List<Place> places, Path path, String what, Place.Extent extent, boolean absolute) {
        places.add(new Place(path, what, extent, absolute));
    }

    /// A place of the host that a sandbox must not see.
    ///
    /// @param what it is, for a sentence that begins with "it overlaps with"
    /// @param extent what of the paths around it is refused as well
    /// @param absolute whether it stays refused even when a person insists
    record Place(Path path, String what, Extent extent, boolean absolute) {
        /// How far a place reaches.
        public enum Extent {
            /// This directory; what lies in it may be mounted.
            ITSELF,
            /// This directory and those that contain it.
            CONTAINING,
            /// Also everything in it.
            OVERLAPPING
        }
    }
}
