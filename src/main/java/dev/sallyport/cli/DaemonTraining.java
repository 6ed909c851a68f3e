package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.gateway.Rehearsal;
import dev.sallyport.warden.WardenMain;
import java.io.IOException;
import java.time.Duration;

/// What the launcher runs once after a build so that the JVM can note which classes the daemons
/// need, and with them start in half the time: a gateway's first steps, then a warden for an empty
/// home that is told to end as soon as it answers.
final class DaemonTraining {
    private static final int ATTEMPTS_MAX = 600;
    private static final Duration INTERVAL = Duration.ofMillis(50);

    private DaemonTraining() {}

    static void run() throws IOException {
        Home home = Home.resolve(System.getenv());
        Thread.ofPlatform().daemon().start(() -> end(home));
        Rehearsal.run(home.root());
        WardenMain.main(new String[] {home.root().toString()});
    }

    private static void end(Home home) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try (ControlClient client = ControlClient.connect(home)) {
                client.status();
                client.sandboxes();
                client.shutdown(new Api.Shutdown(false));
                return;
            } catch (ControlException e) {
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(INTERVAL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
