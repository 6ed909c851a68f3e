package dev.sallyport.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.Ownership;
import dev.sallyport.fixture.AuditLogs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// P11: nothing acknowledged is lost by a kill, and what cannot be recorded is refused.
class AuditDurabilityIT {
    private static final int KILLS = 8;
    private static final AuditEvent EVENT =
            new AuditEvent("git.request", "", "allow", Map.of("x", "y".repeat(400)));

    private static final AuditEvent LAST_WORD =
            new AuditEvent("session.destroy", "", "", Map.of("x", "y".repeat(400)));

    @TempDir Path directory;

    @Test
    void losesNoAcknowledgedLineWhenKilled() throws Exception {
        Path file = directory.resolve("audit.jsonl");
        long acknowledged = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            acknowledged = Math.max(acknowledged, appendUntilKilled(file, 20 + 31 * kill));
            try (AuditLog log = AuditLogs.open(file)) {
                assertThat(log.append(EVENT)).isGreaterThan(acknowledged);
            }
            AuditVerifier.Result result = AuditVerifier.verify(file, Optional.empty());
            assertThat(result.broken()).isEmpty();
            assertThat(result.lines()).isGreaterThan(acknowledged);
        }
        assertThat(acknowledged).isGreaterThan(KILLS * 20L);
    }

    /// Returns the last number that the child said was recorded.
    private static long appendUntilKilled(Path file, int lines)
            throws IOException, InterruptedException {
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                AppendingChild.class.getName(),
                                file.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        long last = 0;
        try (BufferedReader answers = child.inputReader()) {
            for (int i = 0; i < lines; i++) {
                last = Long.parseLong(String.valueOf(answers.readLine()));
            }
            // By its handle, because Process.destroyForcibly would close the stream we still read.
            child.toHandle().destroyForcibly();
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
            List<String> rest = answers.lines().toList();
            return rest.size() > 1 ? Long.parseLong(rest.get(rest.size() - 2)) : last;
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void refusesWhenTheDiskIsFullAndGoesOnWhenThereIsRoom() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", disk.toString());
        try {
            fill(disk);
        } finally {
            run("umount", disk.toString());
        }
    }

    @Test
    void saysHowMuchRoomItTakesToGoOn() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=64m,mode=0700", "none", disk.toString());
        try {
            Path audit = disk.resolve("audit");
            Ownership.createPrivateDirectory(audit);
            Path ballast = disk.resolve("ballast");
            Files.write(ballast, new byte[62 << 20]);
            try (AuditLog log = AuditLogs.open(audit.resolve("audit.jsonl"))) {
                for (int free = 2; free < 9; free++) {
                    leave(free, ballast);
                    assertThatThrownBy(() -> log.append(EVENT))
                            .isInstanceOf(DiskFullException.class)
                            .hasMessageContaining("needs 9 MiB free in " + audit);
                }
                leave(9, ballast);
                log.append(EVENT);
                assertThat(log.trouble()).isEmpty();
            }
        } finally {
            run("umount", disk.toString());
        }
    }

    /// Of the 64 MiB, besides a little for the log itself. Never more for a moment: the log looks
    /// every second.
    private static void leave(int freeMib, Path ballast) throws IOException {
        try (FileChannel channel = FileChannel.open(ballast, StandardOpenOption.WRITE)) {
            channel.truncate((64 - freeMib) * (1L << 20) - (1 << 18));
        }
    }

    private static void fill(Path disk) throws IOException {
        Path audit = disk.resolve("audit");
        Ownership.createPrivateDirectory(audit);
        Path file = audit.resolve("audit.jsonl");
        Path ballast = Files.write(disk.resolve("ballast"), new byte[512 * 1024]);
        try (AuditLog log = AuditLogs.open(file)) {
            assertThat(log.trouble()).isEmpty();
            assertThat(appendUntilRefused(log)).isGreaterThan(10);
            assertThat(log.trouble().orElseThrow()).contains("The disk is full");
            log.append(LAST_WORD);
            assertThat(Files.getFileStore(file).getUsableSpace()).isPositive();

            Path rest = fillUp(disk);
            for (int i = 0; i < 20; i++) {
                log.append(LAST_WORD);
                assertThatThrownBy(() -> log.append(EVENT)).isInstanceOf(DiskFullException.class);
            }
            assertThat(Files.size(audit.resolve("audit.reserve"))).isLessThan(50_000);
            assertThat(verified(file)).contains("audit.disk-full", "session.destroy");

            Files.delete(ballast);
            Files.delete(rest);
            log.append(EVENT);
            assertThat(audit.resolve("audit.reserve")).hasSize(64 * 1_024);
            assertThat(log.trouble()).isEmpty();
        }
        assertThat(verified(file)).contains("audit.disk-freed");
    }

    private static Set<String> verified(Path file) throws IOException {
        assertThat(AuditVerifier.verify(file, Optional.empty()).broken()).isEmpty();
        Set<String> kinds = new HashSet<>();
        AuditReader.read(file, AuditFilter.ALL, line -> kinds.add(line.event().kind()));
        return kinds;
    }

    /// Another program takes all that is left.
    private static Path fillUp(Path disk) {
        Path rest = disk.resolve("rest");
        try (OutputStream out = Files.newOutputStream(rest)) {
            for (int i = 0; i < 1_024; i++) {
                out.write(new byte[1_024]);
            }
        } catch (IOException e) {
            assertThat(DiskFullException.isCause(e, rest)).isTrue();
        }
        return rest;
    }

    private static long appendUntilRefused(AuditLog log) {
        long written = 0;
        try {
            while (written < 10_000) {
                written = log.append(EVENT);
            }
        } catch (IOException e) {
            assertThat(e)
                    .isInstanceOf(DiskFullException.class)
                    .hasMessageContaining("The disk is full");
        }
        return written;
    }

    @Test
    void refusesWhenTheDiskBecomesReadOnly() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("ro"));
        run("mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "none", disk.toString());
        try {
            Path file = disk.resolve("audit.jsonl");
            AuditLog log = AuditLogs.open(file);
            log.append(EVENT);
            log.close();
            run("mount", "-o", "remount,ro", disk.toString());
            assertThatThrownBy(() -> AuditLogs.open(file)).isInstanceOf(IOException.class);
            assertThat(AuditVerifier.verify(file, Optional.empty()).lines()).isEqualTo(1);
        } finally {
            run("umount", disk.toString());
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void refusesAFileOfAnotherUser() throws Exception {
        Path file = directory.resolve("audit.jsonl");
        AuditLogs.open(file).close();
        Files.setAttribute(file, "unix:uid", 61_185);
        assertThatThrownBy(() -> AuditLogs.open(file))
                .hasMessageContaining("belongs to user 61185");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }
}
