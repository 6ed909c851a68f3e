package dev.sallyport.warden;

import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Machine;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.control.Api;
import dev.sallyport.control.HostApi;
import dev.sallyport.host.OpenedRights;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.Mounts;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxUser;
import dev.sallyport.sandbox.Workspace;
import dev.sallyport.session.Asked;
import dev.sallyport.session.Caps;
import dev.sallyport.session.Lifetime;
import dev.sallyport.session.Moment;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// Turns a request for a sandbox into the session it will be, or refuses it. Nothing has happened
/// yet when this returns.
record SessionPlans(
        Patron patron,
        Supplier<PolicyFile> rules,
        ReachRequests reach,
        Runtimes runtimes,
        Homes homes,
        RemoteGateways gateways,
        Moment.Source clock) {
    /// What container engines accept as a reference; above all nothing that looks like an option.
    private static final Pattern IMAGE = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._/:@-]{0,255}");

    Session plan(Api.CreateSandbox request) throws OperationException {
        String name =
                request.name().isPresent()
                        ? SandboxNames.parse(request.name().get())
                        : SandboxNames.generate();
        Workspace.Checked files = files(request);
        Path workspace = files.workspace();
        RuntimeKind runtime = runtimes.choose(request.runtime()).kind();
        Optional<String> image = image(request.image(), runtime);
        Resources resources = ResourceRequests.of(request.resources(), runtime, patron);
        Hardening hardening = HardeningRequests.of(request.hardening(), runtime);
        Lifetime lifetime =
                new LifeRequests(rules.get().sessions()).lifetime(request.life(), clock.now());
        Caps caps = LifeRequests.caps(request.life());
        List<PublishedPort> published = new PortRequests(patron).parse(request.reach().publish());
        Rights rights =
                request.gateway().isPresent()
                        ? rightsElsewhere(request.gateway().get(), name, request)
                        : rights(SessionId.random(), request, workspace);
        SessionId id = rights.id();
        SandboxSpec spec =
                new SandboxSpec(
                        id,
                        name,
                        runtime,
                        workspace,
                        image,
                        patron.home().sandbox(id),
                        new Policy(id, rights.grants(), rights.egress()).gitHosts(),
                        rights.git(),
                        rights.caPem(),
                        lent().beside(workspace, files.mounts()),
                        resources,
                        hardening,
                        homes.plan(request, id, files));
        return new Session(
                spec,
                Optional.empty(),
                rights.grants(),
                rights.egress(),
                lifetime,
                Usage.NONE,
                request.ephemeral(),
                Session.State.CREATING,
                caps,
                Optional.empty(),
                new Asked(
                        request.repos(),
                        request.reach().egress(),
                        rights.egress().rules().stream().filter(this::isOwn).toList(),
                        published,
                        request.gateway()));
    }

    /// What a session gets.
    private record Rights(
            SessionId id,
            List<RepoGrant> grants,
            Egress egress,
            GitSettings git,
            Optional<String> caPem) {}

    private Rights rights(SessionId id, Api.CreateSandbox request, Path workspace)
            throws OperationException {
        PolicyFile policy = rules.get();
        ProjectFile project = new ProjectRules(patron, policy).of(workspace);
        return new Rights(
                id,
                RepoRequests.grants(request.repos(), policy),
                reach.plan(request.reach(), project.rules()),
                request.git().and(policy.inside()).and(project.inside()),
                Optional.empty());
    }

    /// The rules are those of the gateway's machine. Comes after all that can be refused here: from
    /// now on there is a session there.
    private Rights rightsElsewhere(String gateway, String name, Api.CreateSandbox request)
            throws OperationException {
        HostApi.Opened opened =
                gateways.open(
                        gateway,
                        new HostApi.Open(
                                name,
                                request.repos(),
                                withoutPorts(request.reach()),
                                request.git(),
                                request.life()));
        try {
            OpenedRights rights = OpenedRights.of(opened);
            return new Rights(
                    rights.session(),
                    rights.grants(),
                    rights.egress(),
                    opened.git(),
                    opened.caPem());
        } catch (MalformedNameException | IllegalArgumentException e) {
            throw OperationException.failed(
                    new IOException("the gateway's answer is not readable", e));
        }
    }

    /// Ports are those of this machine, and not the gateway's affair.
    private static Api.ReachRequest withoutPorts(Api.ReachRequest asked) {
        return new Api.ReachRequest(
                asked.allow(),
                asked.presets(),
                asked.egress(),
                asked.learn(),
                asked.implied(),
                asked.tcp(),
                List.of());
    }

    /// The session of a sandbox on another machine. Its rights are decided here, and the rest
    /// there.
    ///
    /// @param host that asks for it
    Session planRemote(String host, HostApi.Open request) throws OperationException {
        if (!request.reach().publish().isEmpty()) {
            throw OperationException.invalid(
                    "A gateway publishes no ports of sandboxes on other machines.",
                    "Install the same version of Sallyport on both machines.");
        }
        PolicyFile policy = rules.get();
        SessionId id = SessionId.random();
        List<RepoGrant> grants = RepoRequests.grants(request.repos(), policy);
        Egress egress = reach.ofMachine().plan(request.reach(), List.of());
        SandboxSpec spec =
                new SandboxSpec(
                        id,
                        SandboxNames.ofHost(host, SandboxNames.parse(request.name())),
                        RuntimeKind.REMOTE,
                        Path.of("/"),
                        Optional.empty(),
                        patron.home().sandbox(id),
                        new Policy(id, grants, egress).gitHosts(),
                        request.git().and(policy.inside()),
                        Optional.empty(),
                        Mounts.NONE,
                        Resources.ELSEWHERE,
                        Hardening.USUAL,
                        SandboxHome.BARE);
        return new Session(
                spec,
                Optional.empty(),
                grants,
                egress,
                new LifeRequests(policy.sessions()).lifetime(request.life(), clock.now()),
                Usage.NONE,
                false,
                Session.State.CREATING,
                LifeRequests.caps(request.life()),
                Optional.empty(),
                new Asked(
                        request.repos(),
                        request.reach().egress(),
                        egress.rules().stream().filter(this::isOwn).toList(),
                        List.of(),
                        Optional.of(host)));
    }

    /// Whether the rule comes from the request and not from the policy file.
    private boolean isOwn(EgressRule rule) {
        return !rule.ports().isEmpty()
                && !rule.origin().startsWith(patron.home().policyFile() + ":");
    }

    LentObjects lent() {
        return LentObjects.of(patron);
    }

    private Workspace.Checked files(Api.CreateSandbox request) throws OperationException {
        return OperationException.asking(
                () ->
                        patron.with(
                                () ->
                                        MountRequests.check(
                                                request, patron.person(), patron.installation())));
    }

    private static Optional<String> image(Optional<String> image, RuntimeKind runtime)
            throws OperationException {
        if (image.isPresent() && runtime != RuntimeKind.DOCKER) {
            throw OperationException.invalid(
                    "--image needs the runtime docker.",
                    "Leave --image out, or add --runtime docker.");
        }
        if (image.isPresent() && !IMAGE.matcher(image.get()).matches()) {
            throw OperationException.invalid(
                    "Not an image reference.", "Use NAME[:TAG], as in docker pull.");
        }
        return image;
    }

    /// The rules of a workspace's own file, when a person trusts its bytes. Bytes that nobody
    /// trusts are hashed and not parsed: a sandbox may have written them (I7).
    private record ProjectRules(Patron patron, PolicyFile policy) {
        ProjectFile of(Path workspace) throws OperationException {
            Path file = workspace.resolve(ProjectFile.NAME);
            try {
                Optional<byte[]> content = patron.with(() -> ProjectFile.read(file));
                if (content.isEmpty()
                        || !new TrustedFiles(patron.home().trustedFiles())
                                .isTrusted(file, content.get())) {
                    return ProjectFile.NONE;
                }
                return ProjectFile.parse(content.get(), file, policy.hosts(), Machine.current());
            } catch (IOException e) {
                throw OperationException.refused(e);
            }
        }
    }

    /// Checks what was asked for about how a sandbox is held. What a runtime does not have is
    /// refused, not ignored.
    private static final class HardeningRequests {
        private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}");

        static Hardening of(Api.HardeningRequest request, RuntimeKind runtime)
                throws OperationException {
            return new Hardening(
                    user(request.user(), runtime),
                    runtimeClass(request.runtimeClass(), runtime),
                    isPrivate(request.userns()));
        }

        private static SandboxUser user(Optional<String> asked, RuntimeKind runtime)
                throws OperationException {
            if (asked.isEmpty()) {
                return new SandboxUser.Usual();
            }
            requireDocker("--user", runtime);
            try {
                return SandboxUser.parse(asked.get());
            } catch (IllegalArgumentException e) {
                throw OperationException.invalid(
                        "Not a user for a container.",
                        "Use --user image, --user owner or --user UID[:GID].");
            }
        }

        /// Whether the engine knows it is asked when the container is made.
        private static Optional<String> runtimeClass(Optional<String> asked, RuntimeKind runtime)
                throws OperationException {
            if (asked.isPresent()) {
                requireDocker("--runtime-class", runtime);
                if (!NAME.matcher(asked.get()).matches()) {
                    throw OperationException.invalid(
                            "Not the name of a runtime.",
                            "List the runtimes of the engine with: docker info");
                }
            }
            return asked;
        }

        /// The engine's other word, `host`, takes a container out of the namespace that the engine
        /// has for it.
        private static boolean isPrivate(Optional<String> asked) throws OperationException {
            if (asked.isPresent() && !asked.get().equals("private")) {
                throw OperationException.invalid(
                        "--userns takes only private; the host's user namespace would weaken the sandbox.",
                        "Use --userns private, or leave it out for the runtime's default.");
            }
            return asked.isPresent();
        }

        private static void requireDocker(String option, RuntimeKind runtime)
                throws OperationException {
            if (runtime != RuntimeKind.DOCKER) {
                throw OperationException.invalid(
                        option + " needs the runtime docker.",
                        "Leave it out, or add --runtime docker.");
            }
        }
    }
}
