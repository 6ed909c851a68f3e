package dev.sallyport.proof;

import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Namespaces;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.WorkspaceMount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

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
        String outside = Outside.text(subject, "cmdline").strip();
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
