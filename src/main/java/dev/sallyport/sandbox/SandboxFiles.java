package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The configuration files of a sandbox, written by us and mounted read-only. Nothing in them is
/// secret.
public final class SandboxFiles {
    public static final String GITCONFIG = "gitconfig";
    public static final String RESOLV_CONF = "resolv.conf";
    public static final String HOSTS = "hosts";
    public static final String NSSWITCH_CONF = "nsswitch.conf";
    public static final String PASSWD = "passwd";
    public static final String GROUP = "group";
    public static final String HOSTNAME = "sandbox";

    /// The sandbox's `/tmp`, where it is on disk: the one thing that is not ours.
    public static final String TEMPORARY = "tmp";

    /// Says which runtime owns the directory, for the sweep.
    private static final String RUNTIME = "runtime";

    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,31}");
    private static final int NOBODY = 65534;

    private static final String EMPTY = "empty";

    private SandboxFiles() {}

    /// What is mounted on files that are hidden.
    public static Path empty(SandboxSpec spec) {
        return spec.files().resolve(EMPTY);
    }

    public static void write(SandboxSpec spec, Person person) throws SandboxException {
        try {
            Files.createDirectories(spec.files());
            // A guest's programs read them too; the directory around it keeps others out.
            boolean own = person.uid() == Person.current().uid();
            Files.setPosixFilePermissions(
                    spec.files(), PosixFilePermissions.fromString(own ? "rwx------" : "rwxr-xr-x"));
            Person inside = spec.home().inhabitant(person);
            for (Map.Entry<String, String> file : contents(spec, inside).entrySet()) {
                byte[] text = file.getValue().getBytes(StandardCharsets.UTF_8);
                write(spec.files().resolve(file.getKey()), text);
            }
            for (Map.Entry<String, byte[]> file : SandboxTrust.contents(spec).entrySet()) {
                write(spec.files().resolve(file.getKey()), file.getValue());
            }
        } catch (IOException e) {
            throw new SandboxException(
                    "cannot write the sandbox's configuration files in %s: %s. Check that the disk is not full and that the directory is yours."
                            .formatted(spec.files(), e.getMessage()),
                    e);
        }
    }

    /// Writes one file that whoever makes the sandbox can read.
    public static void write(Path path, byte[] content) throws IOException {
        Files.write(path, content);
        // Readable by whatever user an image runs as; the directory keeps others out.
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /// Removes the directory and what is in it; nothing to remove is fine.
    public static void remove(Path files) throws SandboxException {
        if (!Files.exists(files)) {
            return;
        }
        new ForeignTree(files.resolve(TEMPORARY)).remove();
        try (Stream<Path> tree = Files.walk(files)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new SandboxException(
                    "cannot remove " + files + ": " + e.getMessage() + ". Remove it by hand.", e);
        }
    }

    /// Whether a directory of the installation's `sandboxes` holds files of this runtime.
    public static boolean belongTo(RuntimeKind kind, Path files) {
        try {
            return Files.readString(files.resolve(RUNTIME)).strip().equals(kind.label());
        } catch (IOException e) {
            return false;
        }
    }

    private static Map<String, String> contents(SandboxSpec spec, Person person) {
        Map<String, String> contents = new LinkedHashMap<>();
        contents.put(RUNTIME, spec.runtime().label() + "\n");
        contents.put(GITCONFIG, GitConfig.of(spec.gitHosts(), spec.git()));
        contents.put(RESOLV_CONF, "nameserver 127.0.0.1\noptions timeout:2 attempts:2 ndots:1\n");
        contents.put(HOSTS, "127.0.0.1 localhost gateway.sallyport " + HOSTNAME + "\n");
        contents.put(
                NSSWITCH_CONF, "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n");
        contents.put(PASSWD, passwd(person, fullName(spec)));
        contents.put(GROUP, group(person));
        contents.put(EMPTY, "");
        contents.put(Seeding.SCRIPT, Seeding.script(spec));
        return contents;
    }

    /// The person's name for commits, as an account can have it: a comma would end it, and `&`
    /// stands for the account's name.
    public static String fullName(SandboxSpec spec) {
        return spec.git().identity().name().orElse("").replaceAll("[:,&]", " ").strip();
    }

    private static String passwd(Person person, String fullName) {
        String name = person.isRoot() ? "root" : nameOf(person);
        String own =
                account(name, person.uid(), person.gid(), fullName)
                        + person.home()
                        + ":/bin/bash\n";
        String root =
                person.isRoot() ? "" : account("root", 0, 0, "") + "/root:/usr/sbin/nologin\n";
        String nobody = account("nobody", NOBODY, NOBODY, "") + "/nonexistent:/usr/sbin/nologin\n";
        return root + own + nobody;
    }

    private static String account(String name, int uid, int gid, String fullName) {
        return name + ":x:" + uid + ":" + gid + ":" + fullName + ":";
    }

    private static String group(Person person) {
        String root = person.gid() == 0 ? "" : "root:x:0:\n";
        String own = (person.gid() == 0 ? "root" : nameOf(person)) + ":x:" + person.gid() + ":\n";
        return root + own + "nogroup:x:" + NOBODY + ":\n";
    }

    static String nameOf(Person person) {
        return PLAIN_NAME.matcher(person.name()).matches() ? person.name() : "user";
    }
}
