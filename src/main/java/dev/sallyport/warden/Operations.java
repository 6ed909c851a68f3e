package dev.sallyport.warden;

import static io.netty.handler.codec.http.HttpMethod.DELETE;
import static io.netty.handler.codec.http.HttpMethod.GET;
import static io.netty.handler.codec.http.HttpMethod.POST;
import static io.netty.handler.codec.http.HttpMethod.PUT;

import dev.sallyport.control.Api;
import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.control.MetricsText;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.control.WorkInHand;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RepoName;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.Job;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import io.netty.handler.codec.http.HttpMethod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The table of the control API: operation, role, handler. What is not in it does not exist.
record Operations(
        Sandboxes sandboxes,
        SessionPlans plans,
        ReachRequests reach,
        PolicyChanges policy,
        Leases leases,
        Secrets secrets,
        KeptFiles files,
        Homes homes,
        Approvals approvals,
        OpenedPage page,
        Daemon daemon) {

    /// The warden itself.
    interface Daemon {
        Api.Status status() throws OperationException;

        /// What takes it long, and how far it is.
        Map<String, String> work();

        /// In the text format of Prometheus.
        String metrics();

        /// The same in the JSON form of OTLP.
        String metricsOtlp();

        /// Begins its end; returns before it is over.
        Api.Ending stop(Api.Shutdown how) throws OperationException;
    }

    private static final String ONE = "/v1/sandboxes/{name}";
    private static final int COMMAND_WORDS_MAX = 4_096;

    List<Operation> table() {
        return List.of(
                row(GET, "/v1/status", this::status),
                row(POST, "/v1/shutdown", call -> daemon.stop(call.as(Api.Shutdown.class))),
                row(GET, "/v1/progress", _ -> new WorkInHand(daemon.work())),
                row(GET, "/v1/metrics", _ -> new MetricsText(daemon.metrics())),
                row(GET, "/v1/metrics/otlp", _ -> new MetricsText(daemon.metricsOtlp())),
                row(GET, "/metrics", _ -> new Operation.Text(daemon.metrics())),
                row(GET, "/v1/sandboxes", _ -> list()),
                row(POST, "/v1/sandboxes", this::create),
                row(GET, ONE, call -> view(sandboxes.show(call.name()))),
                doing(DELETE, ONE, this::destroy),
                row(POST, ONE + "/start", call -> view(sandboxes.start(call.name()))),
                row(POST, ONE + "/stop", call -> view(sandboxes.stop(call.name()))),
                row(POST, ONE + "/extend", this::extend),
                row(POST, ONE + "/end", call -> view(sandboxes.end(call.name()))),
                new Operation(POST, ONE + "/exec", Set.of(Role.OWNER), this::exec),
                row(POST, ONE + "/lease", this::lease),
                row(POST, ONE + "/allow", this::allow),
                row(POST, ONE + "/ports", this::ports),
                row(POST, ONE + "/share", this::share),
                row(GET, ONE + "/exposure", this::exposure),
                row(POST, "/v1/policy/apply", call -> policy.apply(call.as(Api.ApplyPolicy.class))),
                row(GET, "/v1/secrets", _ -> secrets.list()),
                row(PUT, "/v1/secrets/{name}", named(SecretsApi.PutSecret.class, secrets::put)),
                doing(DELETE, "/v1/secrets/{name}", call -> secrets.remove(call.name())),
                row(
                        POST,
                        "/v1/secrets/{name}/rotate",
                        named(SecretsApi.RotateSecret.class, secrets::rotate)),
                row(POST, "/v1/secrets/encrypt", _ -> secrets.encrypt()),
                row(GET, "/v1/homes", _ -> homes.list()),
                row(POST, "/v1/homes/remove", call -> homes.remove(call.as(Api.RemoveHomes.class))),
                row(GET, "/v1/approvals", _ -> approvals.list()),
                row(GET, "/v1/approvals/{name}", call -> approvals.show(call.name())),
                row(
                        POST,
                        "/v1/approvals/{name}",
                        named(ApprovalsApi.AnswerApproval.class, approvals::answer)),
                row(GET, "/v1/audit", call -> files.record(call.as(Api.AuditRequest.class))),
                row(POST, "/v1/page", call -> page.link(call.as(Api.OpenPage.class), call.role())),
                row(DELETE, "/v1/page", _ -> page.close()),
                row(POST, "/v1/trusted", call -> files.trust(call.as(Api.Trust.class))));
    }

    static Operation row(HttpMethod method, String path, Operation.Handler handler) {
        return new Operation(method, path, EnumSet.allOf(Role.class), handler);
    }

    /// Does what has no answer.
    interface Step {
        void run(Operation.Call call) throws OperationException;
    }

    static Operation doing(HttpMethod method, String path, Step step) {
        return row(
                method,
                path,
                call -> {
                    step.run(call);
                    return new Api.Done();
                });
    }

    /// Answers to what was asked of a name.
    interface Named<T> {
        Object answer(String name, T asked) throws OperationException;
    }

    static <T> Operation.Handler named(Class<T> type, Named<T> handler) {
        return call -> handler.answer(call.name(), call.as(type));
    }

    private Api.SandboxView view(Session session) {
        List<String> remarks = new ArrayList<>(sandboxes.remarks().on(session.id()));
        remarks.addAll(sandboxes.rights().doors().troubles(session.id()));
        remarks.addAll(policy.notices());
        return SessionViews.of(
                session,
                remarks,
                sandboxes.arrivals().isExpected(session),
                sandboxes.elsewhere().here(session.id()));
    }

    /// Whoever asks on the connection of a job waits for that job no longer.
    private Object status(Operation.Call call) throws OperationException {
        leases.done(call.connection());
        return daemon.status();
    }

    private Object list() throws OperationException {
        SessionStore.Contents all = sandboxes.contents();
        return new Api.SandboxList(
                all.sessions().stream().map(this::view).toList(),
                all.damaged().stream()
                        .map(row -> new Api.DamagedView(row.name(), row.id(), row.reason()))
                        .toList());
    }

    /// When the connection has gone meanwhile, taking the lease ends the sandbox again.
    private Object create(Operation.Call call) throws OperationException {
        policy.look();
        Session created =
                policy.under(
                        () -> {
                            Session planned = plans.plan(call.as(Api.CreateSandbox.class));
                            requireNew(planned);
                            try {
                                plans.lent().prepare(planned.spec());
                                return sandboxes.create(planned);
                            } catch (OperationException | RuntimeException e) {
                                sandboxes.rights().doors().sidecars().end(planned);
                                throw e;
                            }
                        });
        if (created.ephemeral()) {
            leases.hold(created.id(), call.connection());
        }
        return view(created);
    }

    /// A gateway elsewhere has chosen the id; one that is known here is somebody else's.
    private void requireNew(Session planned) throws OperationException {
        if (sandboxes.find(planned.id()).isPresent()) {
            throw OperationException.conflict(
                    "The gateway answered with a session that exists already.",
                    "Check the gateway's machine, and enroll again.");
        }
    }

    private void destroy(Operation.Call call) throws OperationException {
        sandboxes.destroy(call.name());
        plans.lent().sweep();
    }

    private Object extend(Operation.Call call) throws OperationException {
        Optional<String> asked = call.as(Api.Extend.class).duration();
        Optional<Duration> duration =
                asked.isPresent()
                        ? Optional.of(LifeRequests.duration("DURATION", asked.get()))
                        : Optional.empty();
        OtherMachines.requireOwnRules(sandboxes.show(call.name()));
        return view(sandboxes.extend(call.name(), duration));
    }

    private Object exec(Operation.Call call) throws OperationException {
        Api.ExecCommand command = call.as(Api.ExecCommand.class);
        if (command.command().isEmpty() || command.command().size() > COMMAND_WORDS_MAX) {
            throw OperationException.invalid(
                    "The command is missing or too long.", "Give the command after --");
        }
        Session session = sandboxes.show(call.name());
        Path workspace = session.spec().workspace();
        ExecPlan plan =
                sandboxes.exec(
                        call.name(),
                        new ExecRequest(
                                command.command(),
                                command.tty(),
                                command.directory().map(workspace::resolve).orElse(workspace),
                                command.environment()));
        hold(session, command, call.connection());
        return new Api.ExecAnswer(
                plan.argv(), plan.environment(), plan.enters(), SessionViews.notices(session));
    }

    /// A caller that names its job wants it to end with the connection. What runs in an ephemeral
    /// sandbox does so anyway.
    private void hold(Session session, Api.ExecCommand command, Leases.Holder connection) {
        String mark = command.environment().getOrDefault(Job.VARIABLE, "");
        if (!mark.isEmpty() && !session.ephemeral() && session.identity().isPresent()) {
            leases.hold(new Job(session.identity().get(), mark, command.tty()), connection);
        }
    }

    private Object lease(Operation.Call call) throws OperationException {
        Session session = sandboxes.show(call.name());
        if (!session.ephemeral()) {
            throw OperationException.conflict(
                    "This sandbox is not ephemeral.", "It needs no lease.");
        }
        sandboxes.recordLease(session);
        leases.hold(session.id(), call.connection());
        return view(session);
    }

    private Object allow(Operation.Call call) throws OperationException {
        Api.Allow more = call.as(Api.Allow.class);
        sandboxes.living(call.name());
        policy.look();
        Session changed =
                sandboxes.change(
                        call.name(),
                        present -> {
                            OtherMachines.requireOwnRules(present);
                            return sandboxes
                                    .rights()
                                    .reach(present, reach.widen(present.egress(), more));
                        });
        sandboxes.rights().doors().settle(changed);
        return view(changed);
    }

    /// Removed first, so that one request can move a port.
    private Object ports(Operation.Call call) throws OperationException {
        Api.ChangePorts asked = call.as(Api.ChangePorts.class);
        Session changed =
                sandboxes.change(
                        call.name(),
                        present -> {
                            OtherMachines.requireHere(present);
                            List<PublishedPort> left =
                                    PortRequests.fewer(present.published(), asked.remove());
                            List<PublishedPort> all =
                                    new PortRequests(plans.patron()).more(left, asked.publish());
                            Session fewer =
                                    left.equals(present.published())
                                            ? present
                                            : sandboxes.rights().unpublish(present, left);
                            return all.equals(left)
                                    ? fewer
                                    : sandboxes.rights().publish(fewer, all);
                        });
        sandboxes.rights().doors().settle(changed);
        return view(changed);
    }

    /// Whether the objects of a repository can now be read in a sandbox whose workspace is a clone.
    private Object share(Operation.Call call) throws OperationException {
        String repo = call.as(Api.Share.class).repo();
        try {
            RepoName.parse(repo);
        } catch (MalformedNameException e) {
            throw OperationException.invalid(
                    "Not a repository: " + e.getMessage() + ".", "Write it as host/owner/name.");
        }
        Session session = sandboxes.show(call.name());
        Optional<Path> directory = plans.lent().of(session.spec());
        return new Api.Shared(
                directory.map(Path::toString), sandboxes.lend(session, repo, directory));
    }

    private Object exposure(Operation.Call call) throws OperationException {
        Sidecars sidecars = sandboxes.rights().doors().sidecars();
        return new Exposure(secrets.files(), secrets.apps(), sidecars)
                .of(sandboxes.show(call.name()));
    }
}
