package dev.sallyport.warden;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GrantText;
import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Mounts;
import dev.sallyport.sandbox.ProcessUser;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.UserNamespace;
import dev.sallyport.session.Moment;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import dev.sallyport.session.Verified;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Sessions as people and the audit log see them.
final class SessionViews {
    /// @param remarks what a person should know when it is not as it should be
    /// @param reattaching whether it runs and waits to be taken over
    /// @param gateway which one has it, where there may be several
    static Api.SandboxView of(
            Session session,
            List<String> remarks,
            boolean reattaching,
            Optional<FleetApi.GatewayView> gateway) {
        return of(session, remarks, reattaching, gateway, session.identity());
    }

    /// One that this gateway does not have: the numbers of another machine's processes mean nothing
    /// here.
    static Api.SandboxView elsewhere(Session session, FleetApi.GatewayView gateway) {
        return of(session, List.of(), false, Optional.of(gateway), Optional.empty());
    }

    private static Api.SandboxView of(
            Session session,
            List<String> remarks,
            boolean reattaching,
            Optional<FleetApi.GatewayView> gateway,
            Optional<Identity> identity) {
        List<String> notices = new ArrayList<>(notices(session));
        notices.addAll(remarks);
        return new Api.SandboxView(
                session.name(),
                session.id().value(),
                session.spec().runtime().label(),
                reattaching ? "reattaching" : state(session),
                session.spec().image(),
                place(session),
                session.grants().stream().map(GrantText::of).toList(),
                session.egress().rules().stream().map(EgressText::of).toList(),
                session.egress().learn(),
                session.policy().digest(),
                identity.map(SessionViews::of),
                of(session.usage()),
                session.lifetime().created().toString(),
                session.lifetime().lastUsed().toString(),
                session.lifetime().end().toString(),
                session.spec().git(),
                session.ephemeral(),
                life(session),
                session.verified()
                        .map(known -> new Api.VerifiedView(known.by(), known.at().toString())),
                of(session.spec().mounts()),
                of(session.spec().resources()),
                notices,
                hardening(session.spec().hardening(), identity),
                session.spec().home().directory().map(Path::toString),
                session.published().stream().map(PublishedPort::toString).toList(),
                gateway);
    }

    /// Where it works.
    private static String place(Session session) {
        return session.spec().runtime() == RuntimeKind.REMOTE
                ? "on " + session.asked().machine().orElse("another machine")
                : session.spec().workspace().toString();
    }

    private static String state(Session session) {
        return switch (session.state()) {
            case RUNNING -> session.isPaused() ? "paused" : "running";
            case STOPPED, EXITED -> "stopped";
            case CREATING -> "creating";
            case ENDED -> "ended";
        };
    }

    static List<String> notices(Session session) {
        return session.state() == Session.State.RUNNING
                ? Notices.of(session, session.usage(), Moment.now())
                : List.of();
    }

    private static Api.LifeView life(Session session) {
        return new Api.LifeView(
                session.lifetime().idleEnd().toString(),
                session.lifetime().expires().toString(),
                session.lifetime().latest().toString(),
                session.caps().requests(),
                session.caps().bytes(),
                session.caps().pushes());
    }

    private static Api.MountView of(Mounts mounts) {
        return new Api.MountView(
                mounts.extra().stream()
                        .map(
                                mount ->
                                        new Api.MountText(
                                                mount.path().toString(),
                                                mount.writable(),
                                                mount.unsafe()))
                        .toList(),
                mounts.hidden().stream().map(Path::toString).toList(),
                mounts.searched());
    }

    private static Api.ResourceRequest of(Resources resources) {
        return new Api.ResourceRequest(
                resources.memoryBytes(),
                resources.milliCpus(),
                resources.processes(),
                Optional.of(resources.fileBytes()));
    }

    private static Api.HardeningView hardening(Hardening hardening, Optional<Identity> identity) {
        return new Api.HardeningView(
                hardening.user().label(),
                identity.flatMap(ProcessUser::of)
                        .map(user -> new Api.ProcessUserView(user.uid(), user.gid())),
                hardening.runtimeClass(),
                identity.flatMap(known -> UserNamespace.isOwn(known.pid())));
    }

    private static Api.IdentityView of(Identity identity) {
        return new Api.IdentityView(
                identity.runtimeId(),
                identity.pid(),
                identity.startTicks(),
                identity.netNamespaceInode());
    }

    private static Api.UsageView of(Usage usage) {
        return new Api.UsageView(
                usage.requests(), usage.bytesUp(), usage.bytesDown(), usage.pushes());
    }

    static Map<String, String> facts(Session session) {
        Map<String, String> facts = new HashMap<>(facts(session.spec().hardening()));
        facts.putAll(
                Map.of(
                        "runtime", session.spec().runtime().label(),
                        "workspace", session.spec().workspace().toString(),
                        "policy", session.policy().digest(),
                        "ephemeral", Boolean.toString(session.ephemeral()),
                        "learn", Boolean.toString(session.egress().learn()),
                        "mounts", mounts(session),
                        "searched", Boolean.toString(session.spec().mounts().searched()),
                        "egress-rules", Integer.toString(session.egress().rules().size()),
                        "repos",
                                session.grants().stream()
                                        .map(grant -> grant.repo() + ":" + grant.access().label())
                                        .collect(Collectors.joining(" "))));
        session.asked().machine().ifPresent(machine -> facts.put("machine", machine));
        return facts;
    }

    private static Map<String, String> facts(Hardening hardening) {
        return Map.of(
                "user", hardening.user().label(),
                "runtime-class", hardening.runtimeClass().orElse(""),
                "userns", hardening.userNamespace() ? "private" : "");
    }

    /// Who came back, and who it was before.
    static Map<String, String> facts(Session before, Verified now) {
        return Map.of(
                "pid", Long.toString(now.identity().pid()),
                "pid-before",
                        before.verified()
                                .map(known -> Long.toString(known.identity().pid()))
                                .orElse(""),
                "sandbox-id", now.identity().runtimeId(),
                "verified-by", now.by());
    }

    private static String mounts(Session session) {
        return session.spec().mounts().extra().stream()
                .map(mount -> mount.path() + (mount.writable() ? ":rw" : ":ro"))
                .collect(Collectors.joining(" "));
    }

    static Map<String, String> facts(HostMount mount) {
        return Map.of(
                "path", mount.path().toString(), "writable", Boolean.toString(mount.writable()));
    }

    /// Not the arguments: people put secrets there.
    static Map<String, String> facts(ExecRequest request) {
        return Map.of(
                "program", request.command().getFirst(),
                "arguments", Integer.toString(request.command().size() - 1),
                "tty", Boolean.toString(request.tty()));
    }

    /// How many there are, by state; nothing when the store cannot be read.
    static Map<String, Long> states(Sandboxes sandboxes) {
        try {
            return sandboxes.list().stream()
                    .collect(
                            Collectors.groupingBy(
                                    session -> session.state().name().toLowerCase(Locale.ROOT),
                                    TreeMap::new,
                                    Collectors.counting()));
        } catch (OperationException _) {
            return Map.of();
        }
    }
}
