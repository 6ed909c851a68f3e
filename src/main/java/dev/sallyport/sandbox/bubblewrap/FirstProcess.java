package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.ProcessIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The first process of a new sandbox, as bubblewrap reports it and the kernel confirms it.
///
/// Where bubblewrap runs as a guest, the guest can take hold of it and report whatever it likes.
/// What is believed is therefore only a process that bubblewrap itself has made, that belongs to
/// the sandbox's account, and that shares no namespace with us: never another account's, never one
/// of the host.
final class FirstProcess {
    private static final Pattern CHILD = Pattern.compile("\"child-pid\": *([0-9]{1,9})");
    private static final int REPORT_BYTES_MAX = 16 << 10;
    private static final List<String> NAMESPACES = List.of("user", "pid", "mnt", "net");

    /// Reads the report until the sandbox stands.
    ///
    /// @param bubblewrap process that made it
    /// @param uid account that it belongs to
    static Identity of(InputStream report, long bubblewrap, int uid) throws IOException {
        long pid = reported(report);
        Identity identity =
                ProcessIdentity.of(pid)
                        .orElseThrow(() -> new IOException("its first process ended at once"))
                        .named("");
        require(pid, bubblewrap, uid);
        if (!ProcessIdentity.isAlive(identity)) {
            throw new IOException("its first process ended at once");
        }
        return new Identity(
                pid + "-" + identity.startTicks(),
                pid,
                identity.startTicks(),
                identity.netNamespaceInode());
    }

    private static long reported(InputStream report) throws IOException {
        StringBuilder text = new StringBuilder();
        byte[] some = new byte[1_024];
        while (!text.toString().lines().anyMatch(BubblewrapCommand.READY::equals)) {
            int count = report.read(some);
            if (count < 0) {
                throw new IOException("it ended before the sandbox was ready");
            }
            text.append(new String(some, 0, count, StandardCharsets.ISO_8859_1));
            if (text.length() > REPORT_BYTES_MAX) {
                throw new IOException("it reported too much");
            }
        }
        Matcher child = CHILD.matcher(text);
        if (!child.find()) {
            throw new IOException("it did not report its first process");
        }
        return Long.parseLong(child.group(1));
    }

    static void require(long pid, long bubblewrap, int uid) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        String status = Files.readString(process.resolve("status"), StandardCharsets.ISO_8859_1);
        if (!fields(status, "PPid:").equals(List.of(Long.toString(bubblewrap)))) {
            throw new IOException("it reported a process that it did not create");
        }
        if (!fields(status, "Uid:").stream().allMatch(Integer.toString(uid)::equals)) {
            throw new IOException("it reported a process of another account");
        }
        for (String namespace : NAMESPACES) {
            if (inode(process, namespace) == inode(Path.of("/proc/self"), namespace)) {
                throw new IOException("it did not create a namespace of the kind " + namespace);
            }
        }
    }

    private static List<String> fields(String status, String name) throws IOException {
        return status.lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .map(line -> Arrays.asList(line.split("\\s+", -1)))
                .findFirst()
                .orElseThrow(() -> new IOException("the kernel does not say " + name));
    }

    private static long inode(Path process, String namespace) throws IOException {
        return (long) Files.getAttribute(process.resolve("ns").resolve(namespace), "unix:ino");
    }
}
