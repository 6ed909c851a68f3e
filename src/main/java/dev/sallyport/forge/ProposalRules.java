package dev.sallyport.forge;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Proposals;
import dev.sallyport.policy.SessionId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// [TextRules] and the rates of all sessions, for every door through which a sandbox can propose
/// something. From any thread.
public final class ProposalRules implements Proposals {
    private final Limits.Api limits;
    private final Map<SessionId, WriteRate> rates = new ConcurrentHashMap<>();

    public ProposalRules(Limits.Api limits) {
        this.limits = limits;
    }

    /// From now on the session may change something.
    public void begin(SessionId session) {
        rates.put(session, new WriteRate(limits, System::nanoTime));
    }

    public void end(SessionId session) {
        rates.remove(session);
    }

    @Override
    public boolean take(SessionId session) {
        WriteRate rate = rates.get(session);
        return rate != null && rate.take();
    }

    @Override
    public Optional<String> title(ApiPermit permit, String text) {
        return TextRules.title(permit, text).map(Objection::message);
    }

    @Override
    public Optional<String> body(ApiPermit permit, String text) {
        return TextRules.body(permit, text).map(Objection::message);
    }

    @Override
    public Map<String, String> record(ApiPermit permit, String name, String text) {
        return TextRules.record(permit, name, text);
    }
}
