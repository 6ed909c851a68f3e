package dev.sallyport.session;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Seed;
import dev.sallyport.fixture.Grants;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SecretScan;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.Mounts;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxUser;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// A session with something unusual in each of its parts.
final class StoredSession {
    private static final GitSettings GIT =
            new GitSettings(
                    true,
                    false,
                    false,
                    new GitIdentity(
                            Optional.of("Ü \"A\""), Optional.empty(), Optional.of("trunk")));

    private StoredSession() {}

    /// One that is being made.
    static Session session(String name, List<RefPattern> refsTrusted, Moment now)
            throws MalformedNameException {
        PushRules rules =
                new PushRules(
                        List.of(RefPattern.parse("agent/**"), RefPattern.parse("a,b")),
                        false,
                        true,
                        true,
                        7,
                        new ContentRules(
                                List.of(PathPattern.parse("secret/**")),
                                Optional.of(List.of()),
                                6,
                                5,
                                SecretScan.DENY,
                                Optional.of(List.of())),
                        refsTrusted);
        SandboxSpec spec =
                new SandboxSpec(
                        SessionId.random(),
                        name,
                        RuntimeKind.DOCKER,
                        Path.of("/work space/ü"),
                        Optional.of("debian:12"),
                        Path.of("/files"),
                        new TreeSet<>(
                                List.of(new HostName("github.com"), new HostName("a.example"))),
                        GIT,
                        Optional.empty(),
                        new Mounts(
                                List.of(new HostMount(Path.of("/m"), true, true)),
                                List.of(Path.of("/work space/ü/.env")),
                                false),
                        new Resources(Optional.of(5L), Optional.of(6L), Optional.empty(), 7),
                        new Hardening(
                                new SandboxUser.Numbers(1000, 100), Optional.of("second"), true),
                        new SandboxHome(
                                Optional.of(Path.of("/homes/ü")), List.of(new Seed(".a/b", "{}"))));
        List<RepoGrant> grants = grants(rules);
        Egress egress = new Egress(List.of(Grants.unusualEgress("api.example.com").toRule()), true);
        return new Session(
                spec,
                Optional.empty(),
                grants,
                egress,
                Lifetime.starting(
                        now,
                        Lifetime.IDLE_LIMIT_DEFAULT,
                        Lifetime.ABSOLUTE_LIMIT_DEFAULT,
                        Lifetime.ABSOLUTE_LIMIT_DEFAULT),
                Usage.NONE,
                false,
                Session.State.CREATING,
                new Caps(Optional.of(5L), Optional.empty(), Optional.of(2L)),
                Optional.empty(),
                Asked.like(grants, egress));
    }

    private static List<RepoGrant> grants(PushRules rules) throws MalformedNameException {
        return List.of(
                new RepoGrant(
                        RepoPattern.parse("github.com/Acme/App"),
                        Access.WRITE,
                        RefVisibility.of(List.of(RefPattern.parseFull("refs/heads/main"))),
                        rules),
                new RepoGrant(
                        RepoPattern.parse("a.example/Team/*"),
                        Access.READ,
                        RefVisibility.all(),
                        PushRules.standard()));
    }
}
