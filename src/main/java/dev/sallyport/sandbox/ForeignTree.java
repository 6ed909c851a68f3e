package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A directory on disk that a sandbox fills: a home, its `/tmp`, or a clone. It lies in a directory
/// that only we write to, so nobody can put anything in its place.
///
/// What is in it may be links, pipes and trees that are deeper than a stack and have more levels
/// than a process has descriptors. The system's own tools cope with all of that and follow no link,
/// so they look at it and remove it, and we open nothing.
public record ForeignTree(Path path) {
    private static final Duration MEASURE_MAX = Duration.ofMinutes(1);
    private static final Duration REMOVE_MAX = Duration.ofMinutes(10);

    /// Makes it, if it is not there, for whom the sandbox's processes are outside.
    ///
    /// @return whether it is new
    public boolean make(long uid, long gid) throws SandboxException {
        try {
            boolean isNew = !Files.exists(path, LinkOption.NOFOLLOW_LINKS);
            if (isNew) {
                Files.createDirectory(
                        path,
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rwx------")));
                if (uid != Person.current().uid()) {
                    Files.setAttribute(path, "unix:uid", (int) uid, LinkOption.NOFOLLOW_LINKS);
                }
                if (gid != Person.current().gid()) {
                    Files.setAttribute(path, "unix:gid", (int) gid, LinkOption.NOFOLLOW_LINKS);
                }
            }
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new SandboxException(path + " is not a directory. Remove it.");
            }
            return isNew;
        } catch (IOException e) {
            throw new SandboxException("cannot make " + path + ": " + e.getMessage(), e);
        }
    }

    /// What it takes on disk.
    ///
    /// @param whole false when there is more that cannot be read, or too much to count
    public record Size(long bytes, boolean whole) {}

    /// Nothing there takes nothing.
    public Size size() {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return new Size(0, true);
        }
        try {
            ProcessBuilder du = quietly("du", "--summarize", "--one-file-system", "--block-size=1");
            HostProgram ran = HostProgram.run(du, ProcessBuilder::start, MEASURE_MAX);
            String number = ran.output().split("\t", 2)[0];
            return number.matches("[0-9]{1,18}")
                    ? new Size(Long.parseLong(number), ran.exitCode() == 0 || isLegible())
                    : new Size(0, false);
        } catch (IOException | SandboxException e) {
            return new Size(0, false);
        }
    }

    /// Whether all of its directories can be read. What disappears while it is measured, as files
    /// of a running sandbox do, hides nothing.
    private boolean isLegible() throws IOException, SandboxException {
        if (Person.current().isRoot()) {
            return true;
        }
        List<String> find = new ArrayList<>(List.of(HostProgram.require("find"), path.toString()));
        find.addAll(List.of("-xdev", "-type", "d", "(", "!", "-perm", "-u=rx", "-o", "!", "-uid"));
        find.add(Long.toString(Person.current().uid()));
        find.addAll(List.of(")", "-printf", "x", "-quit"));
        ProcessBuilder quiet =
                HostProgram.builder(find).redirectError(ProcessBuilder.Redirect.DISCARD);
        return HostProgram.run(quiet, ProcessBuilder::start, MEASURE_MAX).output().isEmpty();
    }

    /// Succeeds when nothing is left, even if nothing was there.
    public void remove() throws SandboxException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            if (!Person.current().isRoot()) {
                // Its owner may have closed it to themselves. Whatever fails here, the next tells.
                HostProgram.run(
                        quietly("chmod", "--recursive", "u+rwx"),
                        ProcessBuilder::start,
                        REMOVE_MAX);
            }
            HostProgram ran =
                    HostProgram.run(
                            quietly("rm", "--recursive", "--force", "--one-file-system"),
                            ProcessBuilder::start,
                            REMOVE_MAX);
            if (ran.exitCode() != 0) {
                throw new SandboxException("cannot remove all of " + path + ". Remove it as root.");
            }
        } catch (IOException e) {
            throw new SandboxException("cannot remove " + path + ": " + e.getMessage(), e);
        }
    }

    /// What they would say holds names that a sandbox chose.
    private ProcessBuilder quietly(String program, String... options) throws SandboxException {
        List<String> command = new ArrayList<>(List.of(HostProgram.require(program)));
        command.addAll(List.of(options));
        command.addAll(List.of("--", path.toString()));
        return HostProgram.builder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    }
}
