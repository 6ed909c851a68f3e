package dev.sallyport.gateway;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Authority;
import dev.sallyport.credential.Secret;
import dev.sallyport.demo.RehearsedGit;
import dev.sallyport.demo.RehearsedWorld;
import dev.sallyport.forge.graphql.QueryJudge;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A gateway that serves requests of one sandbox, without warden or sandbox: for a JVM that notes
/// which classes the real one will need, and which of its code is run often (JEP 514, 515).
public final class Rehearsal {
    private static final String SESSION = "0123456789abcdef";
    private static final int TIMES = 400;

    private Rehearsal() {}

    /// Returns when it is put away again, and whether it came to the end. Where something is
    /// missing, such as git, it comes as far as it can: what was noted until then is good.
    ///
    /// @param directory where it may write
    public static boolean run(Path directory) {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        EventLoopGroup outside = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try (RehearsedGit git = RehearsedGit.start(Files.createTempDirectory(directory, "world"))) {
            Gateway gateway = gateway(loops, directory, git);
            var _ = new QueryJudge();
            serve(gateway, new RehearsedWorld(outside), git);
            return true;
        } catch (IOException | GeneralSecurityException e) {
            System.getLogger(Rehearsal.class.getName()).log(Level.WARNING, "rehearsed in part", e);
            return false;
        } finally {
            for (EventLoopGroup group : List.of(outside, loops)) {
                group.shutdownGracefully(0, 1_000, TimeUnit.MILLISECONDS).syncUninterruptibly();
            }
        }
    }

    private static Gateway gateway(EventLoopGroup loops, Path directory, RehearsedGit git)
            throws IOException {
        Path work = Files.createTempDirectory(directory, "work");
        Path mirrors = Files.createTempDirectory(directory, "mirrors");
        Gateway gateway =
                new Gateway(
                        loops,
                        _ -> {},
                        _ -> CompletableFuture.completedFuture(null),
                        new JudgingGitDoor(loops, work, mirrors),
                        work,
                        reason -> {
                            throw new IllegalStateException(reason);
                        });
        Message.Host host =
                new Message.Host(
                        RehearsedGit.HOST,
                        "plain",
                        Optional.of(git.caPem()),
                        Optional.of(git.dial()));
        gateway.received(
                new Message.Configure(Limits.standard(), List.of(host), Optional.empty()),
                List.of());
        return gateway;
    }

    private static void serve(Gateway gateway, RehearsedWorld world, RehearsedGit git)
            throws IOException {
        Authority authority =
                Authority.create(
                        new SessionId(SESSION),
                        List.of(host()),
                        Instant.now().plus(Duration.ofHours(1)));
        LinuxSocket front = RehearsedWorld.listen();
        LinuxSocket proxy = RehearsedWorld.listen();
        int frontPort = front.localAddress().getPort();
        int proxyPort = proxy.localAddress().getPort();
        gateway.received(attach(world, authority), List.of(front, proxy));
        String trusted = authority.certificatePem();
        world.ask(proxyPort, trusted, true, TIMES);
        world.ask(proxyPort, trusted, false, TIMES);
        git.work(frontPort);
        gateway.received(new Message.Detach(SESSION), List.of());
    }

    private static Message.Attach attach(RehearsedWorld world, Authority authority)
            throws IOException {
        Secret token = Secret.of(RehearsedGit.TOKEN.getBytes(StandardCharsets.US_ASCII));
        return new Message.Attach(
                SESSION,
                "rehearsal",
                new Message.Rights(
                        List.of(grant()), List.of(rule(world)), false, GitSettings.STANDARD),
                List.of(Message.HostSecret.stored(RehearsedGit.HOST, RehearsedGit.USER, token)),
                List.of(),
                Optional.of(new Message.Authority(authority.certificatePem(), authority.key())),
                new Message.Spent(0, 0, 0),
                0,
                List.of(ListenerKind.HTTP, ListenerKind.PROXY),
                List.of());
    }

    private static GrantText grant() throws IOException {
        try {
            return GrantText.of(
                    new RepoGrant(
                            RepoPattern.parse(RehearsedGit.REPOSITORY),
                            Access.WRITE,
                            RefVisibility.all(),
                            PushRules.standard()));
        } catch (MalformedNameException e) {
            throw new IOException(e);
        }
    }

    private static HostName host() throws IOException {
        try {
            return HostName.parse(RehearsedWorld.HOST);
        } catch (MalformedNameException e) {
            throw new IOException(e);
        }
    }

    private static EgressText rule(RehearsedWorld world) {
        return new EgressText(
                RehearsedWorld.HOST,
                List.of(443),
                true,
                Optional.of(world.dial()),
                Optional.of(world.authorityPem()),
                Optional.of(
                        new EgressText.InspectionText(
                                Optional.of(List.of("GET", "HEAD")),
                                Optional.of(List.of("/**")),
                                List.of(),
                                Optional.empty(),
                                List.of(),
                                List.of(),
                                List.of(),
                                false,
                                List.of(),
                                Optional.empty(),
                                false)),
                "rehearsal");
    }
}
