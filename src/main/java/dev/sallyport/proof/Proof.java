package dev.sallyport.proof;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.push.SecretFinding;
import dev.sallyport.push.SecretScanner;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Namespaces;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.WorkspaceMount;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The table of everything that was tried on one sandbox.
public final class Proof {
    /// Runs a command inside and returns what it printed, within limits.
    public interface Entry {
        /// The raw bytes as ISO 8859-1.
        String run(List<String> command) throws IOException;
    }

    private static final int MARK_BYTES = 16;
    private static final int FILE_BYTES_MAX = 8 << 20;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Proof() {}

    /// Tries everything once.
    ///
    /// @param searched what the warden has found out
    public static List<Row> of(Subject subject, Searched searched, Entry entry) throws IOException {
        byte[] random = new byte[MARK_BYTES];
        RANDOM.nextBytes(random);
        String mark = HexFormat.of().formatHex(random);
        String said = entry.run(Probes.command(mark, DoorRows.allowed(subject)));
        return rows(subject, searched, Testimony.parse(mark, said));
    }

    /// What the kernel says about a sandbox's first process: the beginning of a file of `/proc/PID`
    /// as ISO 8859-1; empty when it may not be read.
    private static String outside(Subject subject, String file) {
        Path path = Path.of("/proc", Long.toString(subject.identity().pid()), file);
        try (InputStream in = Files.newInputStream(path)) {
            return new String(in.readNBytes(FILE_BYTES_MAX), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    static List<Row> rows(Subject subject, Searched searched, Testimony inside) {
        List<Row> rows = new ArrayList<>();
        rows.addAll(new IdentityRows(subject, inside).rows());
        rows.addAll(new NetworkRows(subject, inside).rows());
        rows.addAll(new UnixRows(subject).rows());
        rows.addAll(new DoorRows(subject, inside).rows());
        rows.addAll(new PrivilegeRows(subject, inside).rows());
        rows.addAll(new SecretRows(subject, inside).rows());
        rows.add(searched.row());
        rows.add(
                Row.of(
                        "the probes themselves",
                        "complete",
                        inside.isComplete(),
                        inside.isComplete() ? "complete" : "cut off"));
        return rows;
    }

    /// What answers the sandbox, and what does not.
    record DoorRows(Subject subject, Testimony inside) {
        private static final String NO_BASH = "the sandbox has no bash";

        List<Row> rows() {
            return List.of(
                    gateway(),
                    elsewhere("direct", "connect to " + Probes.ELSEWHERE),
                    elsewhere("resolver", "ask a resolver at " + Probes.ELSEWHERE),
                    allowedName(),
                    otherName());
        }

        /// Positive control of the rows about connections.
        private Row gateway() {
            String probe = "the gateway's page";
            String expected = "names session " + subject.session();
            return inside.part("page")
                    .map(page -> Row.of(probe, expected, names(page), page(page)))
                    .orElse(Row.notProbed(probe, expected, "no bash, wget or curl in the sandbox"));
        }

        private boolean names(String page) {
            return page.lines().anyMatch(("session: " + subject.session())::equals);
        }

        private String page(String page) {
            if (page.isBlank()) {
                return "no answer";
            }
            return page.lines()
                    .filter(line -> line.startsWith("session: "))
                    .findFirst()
                    .orElse("an answer without a session");
        }

        private Row elsewhere(String part, String probe) {
            String expected = "network is unreachable";
            Optional<String> said = inside.part(part);
            if (said.isEmpty()) {
                return Row.notProbed(probe, expected, NO_BASH);
            }
            boolean unreachable = said.get().contains("unreachable");
            boolean connected = said.get().lines().anyMatch("connected"::equals);
            String seen =
                    connected
                            ? "connected"
                            : said.get().isBlank() ? "no answer in time" : lastOf(said.get());
            return Row.of(probe, expected, unreachable && !connected, seen);
        }

        private static String lastOf(String text) {
            return text.lines()
                    .filter(line -> !line.isBlank())
                    .reduce((_, last) -> last)
                    .orElse("");
        }

        private Row allowedName() {
            String name = allowed(subject);
            return named("nameYes", "resolve " + name + " (allowed)", "an address");
        }

        private Row otherName() {
            String probe = "resolve " + Probes.UNKNOWN_NAME + " (not allowed)";
            return subject.learn()
                    ? Row.notProbed(probe, "NXDOMAIN", "in learning mode every name resolves")
                    : named("nameNo", probe, "NXDOMAIN");
        }

        private Row named(String part, String probe, String expected) {
            return inside.part(part)
                    .map(Probes.Question::meaning)
                    .map(seen -> Row.of(probe, expected, seen.equals(expected), seen))
                    .orElse(Row.notProbed(probe, expected, NO_BASH));
        }

        /// A name that the sandbox may resolve; the gateway's own when its policy has no other.
        static String allowed(Subject subject) {
            return subject.names().stream().findFirst().orElse("gateway.sallyport");
        }
    }

    /// Whether the sandbox is the one that the store means, and a world of its own.
    record IdentityRows(Subject subject, Testimony inside) {
        List<Row> rows() {
            return List.of(
                    recorded(),
                    namespace("net"),
                    namespace("pid"),
                    namespace("mnt"),
                    processes(),
                    workspace(),
                    state());
        }

        private Row recorded() {
            Identity wanted = subject.identity();
            Optional<ProcessIdentity> now = ProcessIdentity.of(wanted.pid());
            return Row.of(
                    "pid, start time and network namespace",
                    text(wanted.pid(), wanted.startTicks(), wanted.netNamespaceInode()),
                    ProcessIdentity.isAlive(wanted),
                    now.map(p -> text(p.pid(), p.startTicks(), p.netNamespaceInode()))
                            .orElse("no such process"));
        }

        private static String text(long pid, long ticks, long inode) {
            return pid + ", " + ticks + ", " + inode;
        }

        /// The command that was brought inside is where the first process is, and we are elsewhere.
        private Row namespace(String kind) {
            String probe = kind + " namespace of a command";
            Optional<String> first = Namespaces.of(subject.identity().pid(), kind);
            Optional<String> ours = Namespaces.of(ProcessHandle.current().pid(), kind);
            String expected = first.orElse("that of the first process");
            if (first.isEmpty()) {
                return Row.notProbed(probe, expected, "the first process cannot be inspected");
            }
            String said = inside.text("namespaces");
            boolean same = said.contains(first.get()) && !first.equals(ours);
            return Row.of(probe, expected, same, same ? first.get() : seen(said, kind));
        }

        private static String seen(String said, String kind) {
            return said.lines()
                    .filter(line -> line.contains("-> " + kind + ":["))
                    .map(line -> line.substring(line.indexOf("-> ") + 3))
                    .findFirst()
                    .orElse("unknown");
        }

        /// A `/proc` of another namespace would show another first process.
        private Row processes() {
            String probe = "process 1 in /proc";
            String expected = "the sandbox's own";
            String outside = outside(subject, "cmdline").strip();
            boolean same = !outside.isEmpty() && inside.text("cmdline1").strip().equals(outside);
            return Row.of(probe, expected, same, same ? expected : "another");
        }

        private Row workspace() {
            String probe = "workspace";
            String expected = subject.workspace() + " of the host";
            try {
                WorkspaceMount.require(subject.identity().pid(), subject.workspace());
                return Row.of(probe, expected, true, "mounted");
            } catch (SandboxException e) {
                return Row.of(probe, expected, false, String.valueOf(e.getMessage()));
            }
        }

        /// That `/etc` is seen through the same way shows that we can look at all.
        private Row state() {
            String probe = "Sallyport's own directory and control socket";
            String expected = "not there";
            Path root = Path.of("/proc", Long.toString(subject.identity().pid()), "root");
            if (!Files.exists(root.resolve("etc"))) {
                return Row.notProbed(probe, expected, "its files cannot be read");
            }
            Path run = root.resolve(Path.of("/").relativize(subject.home().resolve("run")));
            boolean there = Files.exists(run);
            return Row.of(probe, expected, !there, there ? "there" : expected);
        }
    }

    /// What looks like a credential where Sallyport itself could have put one. What the person's
    /// workspace or image holds is not looked at.
    record SecretRows(Subject subject, Testimony inside) {
        private static final Pattern SECRETIVE =
                Pattern.compile(
                        "(?i).*(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE_KEY).*");

        List<Row> rows() {
            return List.of(environment(), firstEnvironment(), files(), gitConfig());
        }

        /// That our own variable is seen shows that the probe can see any.
        private Row environment() {
            Set<String> names = suspects(inside.text("environ"));
            boolean control = variables(inside.text("environ")).contains("SALLYPORT=1");
            return Row.of(
                    "environment of a command",
                    "no credential, and SALLYPORT=1 is set",
                    control && names.isEmpty(),
                    !names.isEmpty()
                            ? String.join(" ", names)
                            : control
                                    ? "none in " + variables(inside.text("environ")).size()
                                    : "SALLYPORT is not set");
        }

        /// As the kernel shows it from outside, too, because inside it may be hidden.
        private Row firstEnvironment() {
            String text = inside.text("environ1") + "\0" + outside(subject, "environ");
            Set<String> names = suspects(text);
            int count = variables(text).size();
            return Row.of(
                    "/proc/1/environ",
                    "no credential",
                    names.isEmpty(),
                    names.isEmpty()
                            ? count == 0 ? "nothing to read" : "none in " + count
                            : String.join(" ", names));
        }

        private Row files() {
            Set<String> found =
                    new TreeSet<>(rules(inside.text("gitconfig") + inside.text("files")));
            return Row.of(
                    "gitconfig, resolv.conf, hosts",
                    "no credential",
                    found.isEmpty(),
                    found.isEmpty() ? "none" : String.join(" ", found));
        }

        private Row gitConfig() {
            List<String> wrong = new ArrayList<>();
            String text = inside.text("gitconfig");
            if (!text.contains("allow = never")) {
                wrong.add("not written by Sallyport");
            }
            for (String host : subject.gitHosts()) {
                if (!text.contains("[url \"http://" + host + "/\"]")) {
                    wrong.add(host + " is not rewritten");
                }
            }
            return Row.of(
                    "git's configuration",
                    "points to the gateway for " + subject.gitHosts().size() + " hosts",
                    wrong.isEmpty(),
                    wrong.isEmpty() ? "it does" : String.join(", ", wrong));
        }

        private static List<String> variables(String environment) {
            return List.of(environment.split("\0")).stream()
                    .map(String::strip)
                    .filter(variable -> variable.contains("="))
                    .toList();
        }

        /// Names only: what looks like a secret is not printed. The placeholder that clients of an
        /// API have in every sandbox is none.
        private static Set<String> suspects(String environment) {
            Set<String> names = new TreeSet<>();
            for (String variable : variables(environment)) {
                String name = variable.substring(0, variable.indexOf('='));
                if (variable.endsWith("=" + ApiHost.PLACEHOLDER)) {
                    continue;
                }
                if (SECRETIVE.matcher(name).matches() || !rules(variable).isEmpty()) {
                    names.add(name);
                }
            }
            return names;
        }

        private static List<String> rules(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            try {
                return SecretScanner.standard().find(new ByteArrayInputStream(bytes)).stream()
                        .map(SecretFinding::rule)
                        .toList();
            } catch (IOException e) {
                return List.of("cannot be scanned");
            }
        }
    }
}
