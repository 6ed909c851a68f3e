package dev.sallyport.warden;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sallyport.audit.CleanLog;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.DiskFullException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.confine.PrivateMemory;
import dev.sallyport.control.StartReport;
import dev.sallyport.sandbox.Guest;
import dev.sallyport.sandbox.SandboxException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// Entry point of the warden process. Its one argument is the home directory; without it,
/// `SALLYPORT_HOME` says. The gatehouse gives three: the directory of all accounts, the number of
/// the guest, and that of the account that the guest's gateway gets.
public final class WardenMain {
    private static final System.Logger LOG = System.getLogger(WardenMain.class.getName());

    private WardenMain() {}

    public static void main(String[] args) {
        CleanLog.install(_ -> false);
        try {
            run(patron(args));
            System.exit(0);
        } catch (ConfigException e) {
            // Somebody's mistake in a file, told in full by its message.
            LOG.log(System.Logger.Level.ERROR, "the daemon cannot run: " + e.getMessage());
            fail(OperationException.invalid(e.problem(), e.remedy()));
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "the daemon cannot run: " + e.getMessage(), e);
            fail(e);
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.log(System.Logger.Level.ERROR, "the daemon cannot run: " + e.getMessage(), e);
            fail(OperationException.failed(e));
        }
    }

    /// Whoever started us reads the sentence there; the log has the rest.
    private static void fail(OperationException reason) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        out.println(StartReport.line(reason.problem()));
        System.exit(1);
    }

    private static Patron patron(String[] args) throws IOException {
        return switch (args.length) {
            case 3 -> guest(Path.of(args[0]), args[1], Integer.parseInt(args[2]));
            case 1 -> Patron.own(new Home(Path.of(args[0])));
            default -> Patron.own(Home.resolve(System.getenv()));
        };
    }

    private static Patron guest(Path service, String uid, int number) throws IOException {
        try {
            Guest guest =
                    Guest.find(uid)
                            .orElseThrow(
                                    () ->
                                            new ConfigException(
                                                    "There is no account " + uid + ".",
                                                    "See: getent passwd " + uid));
            Home home = Home.lodged(service, guest.person().uid());
            return new Patron(home, Optional.of(guest), number);
        } catch (SandboxException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void run(Patron patron) throws IOException, OperationException {
        PrivateMemory.ofThisProcess();
        Home home = patron.home();
        try {
            run(patron, home);
        } catch (IOException e) {
            throw DiskFullException.placed(e, home.root());
        }
    }

    private static void run(Patron patron, Home home) throws IOException, OperationException {
        patron.prepare();
        Optional<InstanceLock> lock = InstanceLock.take(home);
        if (lock.isEmpty()) {
            LOG.log(System.Logger.Level.INFO, "another warden runs for " + home.root());
            return;
        }
        // Before any class of Netty is loaded: its libraries are not unpacked where others write.
        System.setProperty("io.netty.native.workdir", home.nativeLibraries().toString());
        CountDownLatch closed = new CountDownLatch(1);
        try {
            Warden.run(patron, closed);
        } finally {
            lock.get().close();
            closed.countDown();
        }
    }

    /// At most one warden per home. The kernel drops the lock when the process ends, however it
    /// ends, so there is no stale state to judge.
    private static final class InstanceLock implements AutoCloseable {
        private final FileChannel channel;
        private final Path pidFile;

        private InstanceLock(FileChannel channel, Path pidFile) {
            this.channel = channel;
            this.pidFile = pidFile;
        }

        /// Empty when another warden has it.
        static Optional<InstanceLock> take(Home home) throws IOException {
            Path file = home.run().resolve("warden.lock");
            Ownership.createPrivateFile(file);
            FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            @Nullable FileLock lock = channel.tryLock();
            if (lock == null) {
                channel.close();
                return Optional.empty();
            }
            Files.deleteIfExists(home.wardenPid());
            Ownership.createPrivateFile(home.wardenPid());
            Files.writeString(home.wardenPid(), ProcessHandle.current().pid() + "\n");
            return Optional.of(new InstanceLock(channel, home.wardenPid()));
        }

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(pidFile);
            channel.close();
        }
    }
}
