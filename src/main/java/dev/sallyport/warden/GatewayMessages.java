package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.ThinnedRecorder;
import dev.sallyport.channel.Message;
import dev.sallyport.channel.RecordOutcome;
import dev.sallyport.config.DiskFullException;
import dev.sallyport.metrics.Metrics;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.PortTraffic;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// What the warden does with each message of one gateway process. That process may be compromised:
/// it can speak for attached sessions only, and record only what its own doors decide.
final class GatewayMessages implements GatewayProcess.Listener, Approvals.Asker {
    private static final System.Logger LOG = System.getLogger(GatewayMessages.class.getName());
    private static final List<String> GATEWAY_EVENTS =
            List.of("git.", "lfs.", "api.", "dns.", "http.", "egress.", "port.");

    private final GatewayLink link;
    private final Ledger ledger;
    private final UsageBuffer usage;
    private final LoginRenewals logins;
    private final Approvals approvals;
    private final SessionLines lines;
    private final Metrics metrics;
    private volatile Knocks knocks = (_, _) -> {};
    private final GatewayProcess.Stages stages = new GatewayProcess.Stages();

    /// Who hears what hosts ask for.
    interface Knocks {
        void accept(Message.Knock knock, Consumer<Message> answer);
    }

    GatewayMessages hearing(Knocks desk) {
        knocks = desk;
        return this;
    }

    GatewayMessages(
            GatewayLink link,
            Ledger ledger,
            UsageBuffer usage,
            LoginRenewals logins,
            Approvals approvals,
            SessionLines lines,
            Metrics metrics) {
        this.lines = lines;
        this.metrics = metrics;
        this.logins = logins;
        this.approvals = approvals;
        this.link = link;
        this.ledger = ledger;
        this.usage = usage;
    }

    @Override
    public GatewayProcess.Stages stages() {
        return stages;
    }

    @Override
    public void connected() {
        answer(link.configuration());
    }

    @Override
    public void received(Message message) {
        switch (message) {
            case Message.Ready() -> stages.ready().complete(null);
            case Message.Attached(String session) -> link.attached(session);
            case Message.SocketsWanted(String session) -> link.socketsWanted(session);
            case Message.Figures(List<Long> values, List<Long> requests) ->
                    metrics.told(values, requests);
            case Message.Lent(String session, boolean shared) -> link.lent(session, shared);
            case Message.Lending told -> link.lending(told);
            case Message.Used used -> {
                if (link.isAttached(used.session())) {
                    usage.add(
                            new SessionId(used.session()),
                            new Usage(
                                    used.requests(),
                                    used.bytesUp(),
                                    used.bytesDown(),
                                    used.pushes()));
                }
            }
            case Message.LoginRenewed renewed ->
                    answer(new Message.LoginStored(renewed.version(), logins.take(renewed)));
            case Message.Ask asked -> approvals.asked(asked, this);
            case Message.Withdraw(String session, String id) -> approvals.withdrawn(session, id);
            case Message.Knock knock -> knocks.accept(knock, this::answer);
            case Message.CertificateWanted _,
                    Message.CarriedBy _,
                    Message.LineWanted _,
                    Message.PortUsed _ -> {
                LOG.log(System.Logger.Level.ERROR, "a message of a sidecar came from the gateway");
                stages.channel().join().close();
            }
            case Message.ToGateway _ ->
                    throw new IllegalStateException("the channel lets no such message in");
        }
    }

    @Override
    public void ended(String reason) {
        LOG.log(System.Logger.Level.INFO, "the channel to the gateway is over: " + reason);
        approvals.over(this);
        stages.ended().complete(null);
    }

    /// Recording blocks this connection's event loop, and with it the gateway: a log that is slow
    /// must slow the gateway down, not fill our memory.
    @Override
    public List<RecordOutcome> record(List<AuditEvent> batch) {
        List<AuditEvent> taken = new ArrayList<>(batch.size());
        List<RecordOutcome> outcomes = new ArrayList<>(batch.size());
        for (AuditEvent event : batch) {
            boolean may = mayRecord(event);
            outcomes.add(may ? RecordOutcome.RECORDED : RecordOutcome.NOT_RECORDED);
            if (may) {
                taken.add(lines.placed(event));
            }
        }
        long began = System.nanoTime();
        Optional<IOException> problem =
                taken.isEmpty() ? Optional.empty() : ledger.append(taken, lines::stamp);
        if (problem.isEmpty()) {
            metrics.wrote(System.nanoTime() - began);
            taken.forEach(metrics::recorded);
        }
        problem.ifPresent(
                reason ->
                        outcomes.replaceAll(
                                planned ->
                                        planned == RecordOutcome.RECORDED ? of(reason) : planned));
        return outcomes;
    }

    private static RecordOutcome of(IOException reason) {
        return reason instanceof DiskFullException
                ? RecordOutcome.DISK_FULL
                : RecordOutcome.NOT_RECORDED;
    }

    boolean mayRecord(AuditEvent event) {
        if (event.kind().equals(ThinnedRecorder.SUMMARY)) {
            return link.isAttached(event.session())
                    || link.takeLastWord(event.session(), event.decision());
        }
        if (event.kind().equals(PortTraffic.KIND) && !link.isAttached(event.session())) {
            return link.takeLastWord(event.session(), PortTraffic.KIND);
        }
        boolean own = GATEWAY_EVENTS.stream().anyMatch(event.kind()::startsWith);
        if (!own) {
            LOG.log(System.Logger.Level.ERROR, "the gateway may not record " + event.kind());
        }
        return own && link.mayServe(event.session());
    }

    @Override
    public void answer(Message message) {
        stages.channel().join().send(message);
    }
}
