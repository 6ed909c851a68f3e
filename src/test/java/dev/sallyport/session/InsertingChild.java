package dev.sallyport.session;

import dev.sallyport.config.GitSettings;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.Mounts;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.SandboxSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// A process that stores sessions until it is killed, and says after each that it is stored.
final class InsertingChild {
    private static final int SESSIONS_MAX = 100_000;

    private InsertingChild() {}

    public static void main(String[] args) throws IOException {
        try (SessionStore store = SqliteSessionStore.open(Path.of(args[0]), Path.of(args[1]))) {
            for (int i = 0; i < SESSIONS_MAX; i++) {
                Session session = session(args[2] + "-" + i);
                store.insert(session);
                store.recordUse(Map.of(session.id(), new Usage(1, 2, 3)), Moment.now());
                System.out.println(session.name());
                System.out.flush();
            }
        }
    }

    private static Session session(String name) {
        SandboxSpec spec =
                new SandboxSpec(
                        SessionId.random(),
                        name,
                        RuntimeKind.BUBBLEWRAP,
                        Path.of("/w"),
                        Optional.empty(),
                        Path.of("/f"),
                        new TreeSet<>(),
                        GitSettings.STANDARD,
                        Optional.empty(),
                        Mounts.NONE,
                        new Resources(
                                Optional.empty(), Optional.empty(), Optional.empty(), 1 << 30),
                        Hardening.USUAL,
                        SandboxHome.BARE);
        return new Session(
                spec,
                Optional.empty(),
                List.of(),
                Egress.NONE,
                Lifetime.starting(
                        Moment.now(),
                        Lifetime.IDLE_LIMIT_DEFAULT,
                        Lifetime.ABSOLUTE_LIMIT_DEFAULT,
                        Lifetime.ABSOLUTE_LIMIT_DEFAULT),
                Usage.NONE,
                false,
                Session.State.CREATING,
                Caps.NONE,
                Optional.empty(),
                Asked.like(List.of(), Egress.NONE));
    }
}
