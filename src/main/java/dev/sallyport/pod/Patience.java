package dev.sallyport.pod;

import dev.sallyport.host.GatewayException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;

/// Asks again while there is nobody to answer: the gateway, the one that has the session, or the
/// API of the cluster that it asks. A refusal is final; the cluster starts the sidecar again, with
/// longer and longer pauses.
final class Patience {
    private static final System.Logger LOG = System.getLogger(Patience.class.getName());
    private static final Duration PAUSE_MIN = Duration.ofMillis(250);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);
    private static final String NO_REVIEW = "no-review";
    private static final int FAILURES = 500;

    private Patience() {}

    /// What is asked for.
    interface Question<T> {
        T ask() throws GatewayException, IOException;
    }

    static <T> T until(Question<T> question)
            throws GatewayException, IOException, InterruptedException {
        Duration pause = PAUSE_MIN;
        String said = "";
        while (true) {
            try {
                return question.ask();
            } catch (GatewayException e) {
                boolean passes =
                        e.status() >= FAILURES
                                || e.status() == GatewayException.ELSEWHERE
                                || e.code().equals(NO_REVIEW);
                if (!passes) {
                    throw e;
                }
                String sentence = PodWarden.sentence(e);
                if (!sentence.equals(said)) {
                    LOG.log(Level.WARNING, "{0} Trying again.", sentence);
                }
                said = sentence;
            }
            Thread.sleep(pause);
            pause = pause.multipliedBy(2);
            pause = pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause;
        }
    }
}
