package dev.sallyport.pod;

import com.google.common.util.concurrent.Uninterruptibles;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Limits;
import dev.sallyport.confine.CachePages;
import dev.sallyport.confine.PrivateMemory;
import dev.sallyport.confine.Seccomp;
import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.control.HostApi;
import dev.sallyport.host.GatewayClient;
import dev.sallyport.host.GatewayException;
import dev.sallyport.host.OpenedRights;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.sandbox.PodFiles;
import dev.sallyport.sidecar.Sidecar;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;

/// Entry point of a pod's sidecar: becomes a host of the gateway, has a session opened, and carries
/// until that is over. What goes wrong is said on standard error, which is the container's log; the
/// cluster starts it again.
public final class PodMain {
    private static final System.Logger LOG = System.getLogger(PodMain.class.getName());

    /// Within the half minute that a cluster gives a pod to end.
    private static final int END_TRIES_MAX = 5;

    private static final Duration END_AGAIN_AFTER = Duration.ofSeconds(2);

    private PodMain() {}

    /// Takes at most one argument: where the pod's volumes are.
    public static void main(String[] args) {
        Path directory = args.length > 0 ? Path.of(args[0]) : PodSettings.DIRECTORY;
        PodFiles files = new PodFiles(directory.resolve("inside"));
        try {
            PrivateMemory.ofThisProcess();
            files.ready(false);
            run(PodSettings.read(directory, System.getenv()), files);
        } catch (ConfigException e) {
            halt(files, e.problem() + " " + e.remedy());
        } catch (GatewayException e) {
            halt(files, PodWarden.sentence(e));
        } catch (IOException | MalformedNameException | RuntimeException e) {
            halt(files, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            halt(files, "interrupted");
        }
    }

    private static void run(PodSettings settings, PodFiles files)
            throws IOException, GatewayException, MalformedNameException, InterruptedException {
        // One loop, so that each connection and what carries it are on the same thread.
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        GatewayClient client = new GatewayClient(() -> Limits.standard().upstream(), loop.next());
        PodGateway gateway = new PodGateway(settings, client);
        HostApi.Opened opened = Patience.until(() -> enrolAndOpen(gateway));
        String session = opened.session();
        endWithUs(gateway, session, files);
        Policy policy = OpenedRights.of(opened).policy();
        PodSockets sockets = PodSockets.open(policy);
        // From here on bytes of the agent come in.
        Seccomp.onEveryThread(SyscallFilter.ofGateway());
        files.write(policy.gitHosts(), opened.git(), opened.caPem());
        PodWarden warden =
                new PodWarden(session, gateway, files, loop.next(), why -> halt(files, why));
        warden.begin(new Sidecar(loop, warden, why -> halt(files, why), _ -> {}), sockets);
        CachePages.giveBackWith(loop);
    }

    /// A gateway that could not make the session has forgotten the pod again.
    private static HostApi.Opened enrolAndOpen(PodGateway gateway)
            throws GatewayException, IOException {
        LOG.log(Level.INFO, "enrolled as {0}", gateway.enrol());
        return gateway.open();
    }

    /// The cluster ends the pod. When the gateway does not hear of it, the session ends with its
    /// last certificate.
    private static void endWithUs(PodGateway gateway, String session, PodFiles files) {
        Thread end =
                new Thread(
                        () -> {
                            unready(files);
                            for (int i = 0; i < END_TRIES_MAX && !isEnded(gateway, session); i++) {
                                Uninterruptibles.sleepUninterruptibly(END_AGAIN_AFTER);
                            }
                        },
                        "end");
        Runtime.getRuntime().addShutdownHook(end);
    }

    private static boolean isEnded(PodGateway gateway, String session) {
        try {
            gateway.end(session);
            LOG.log(Level.INFO, "the session has ended");
            return true;
        } catch (GatewayException e) {
            LOG.log(Level.WARNING, PodWarden.sentence(e));
            // Anything else may be better in a moment, such as one that takes the session over.
            return e.status() == GatewayException.NOT_FOUND;
        }
    }

    private static void unready(PodFiles files) {
        try {
            files.ready(false);
        } catch (IOException e) {
            LOG.log(Level.ERROR, "the agent is not told that its sidecar ends", e);
        }
    }

    /// At once: nothing more is carried, and nothing is said to the gateway.
    private static void halt(PodFiles files, String reason) {
        unready(files);
        LOG.log(Level.ERROR, "the sidecar ends: {0}", reason);
        Runtime.getRuntime().halt(1);
    }

    /// Asks again while there is nobody to answer: the gateway, the one that has the session, or
    /// the API of the cluster that it asks. A refusal is final; the cluster starts the sidecar
    /// again, with longer and longer pauses.
    static final class Patience {
        private static final System.Logger LOG = System.getLogger(Patience.class.getName());
        private static final Duration PAUSE_MIN = Duration.ofMillis(250);
        private static final Duration PAUSE_MAX = Duration.ofSeconds(5);
        private static final String NO_REVIEW = "no-review";
        private static final int FAILURES = 500;

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
}
