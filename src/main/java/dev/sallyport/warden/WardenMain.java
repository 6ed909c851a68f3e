package dev.sallyport.warden;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.confine.PrivateMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// Entry point of the warden process. Its one argument is the home directory; without it,
/// `SALLYPORT_HOME` says.
public final class WardenMain {
    private static final System.Logger LOG = System.getLogger(WardenMain.class.getName());

    private WardenMain() {}

    public static void main(String[] args) {
        try {
            run(args.length == 1 ? new Home(Path.of(args[0])) : Home.resolve(System.getenv()));
            System.exit(0);
        } catch (ConfigException e) {
            // Somebody's mistake in a file, told in full by its message.
            LOG.log(System.Logger.Level.ERROR, "the warden cannot run: " + e.getMessage());
            System.exit(1);
        } catch (IOException | OperationException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the warden cannot run: " + e.getMessage(), e);
            System.exit(1);
        }
    }

    private static void run(Home home) throws IOException, OperationException {
        PrivateMemory.ofThisProcess();
        home.create();
        Optional<InstanceLock> lock = InstanceLock.take(home);
        if (lock.isEmpty()) {
            LOG.log(System.Logger.Level.INFO, "another warden runs for " + home.root());
            return;
        }
        // Before any class of Netty is loaded: its libraries are not unpacked where others write.
        System.setProperty("io.netty.native.workdir", home.nativeLibraries().toString());
        CountDownLatch closed = new CountDownLatch(1);
        try {
            Warden.run(home, closed);
        } finally {
            lock.get().close();
            closed.countDown();
        }
    }
}
