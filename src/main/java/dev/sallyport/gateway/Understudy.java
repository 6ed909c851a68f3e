package dev.sallyport.gateway;

import dev.sallyport.forge.graphql.QueryJudge;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/// A gateway that nothing confines and that ends as any program does: for a JVM that notes what the
/// real one will need, and writes it down at its end (JEP 514).
public final class Understudy {
    private Understudy() {}

    /// Returns when the warden has closed the channel.
    ///
    /// @param directory has the sockets of the channel, and stands for those that a gateway may
    ///   write to
    /// @param wardenPid the process that plays the warden
    public static void run(Path directory, long wardenPid)
            throws IOException, InterruptedException {
        GatewayMain.Places places = new GatewayMain.Places(directory, directory, directory);
        GatewayMain.Loops loops = new GatewayMain.Loops();
        CountDownLatch ended = new CountDownLatch(1);
        var _ = new QueryJudge();
        try {
            GatewayMain.serve(loops, places, wardenPid, _ -> ended.countDown());
            ended.await();
        } finally {
            loops.end();
        }
    }
}
