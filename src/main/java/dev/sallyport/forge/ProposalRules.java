package dev.sallyport.forge;

import dev.sallyport.audit.Meter;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Proposals;
import dev.sallyport.policy.SessionId;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// [TextRules] and the rates of all sessions, for every door through which a sandbox can propose
/// something. From any thread.
public final class ProposalRules implements Proposals {
    private final Limits.Api limits;
    private final Map<SessionId, Bucket> rates = new ConcurrentHashMap<>();

    public ProposalRules(Limits.Api limits) {
        this.limits = limits;
    }

    /// From now on the session may change something.
    public void begin(SessionId session) {
        rates.put(session, rate());
    }

    public void end(SessionId session) {
        rates.remove(session);
    }

    @Override
    public boolean take(SessionId session) {
        // When the answer is no, nothing was counted.
        Bucket rate = rates.get(session);
        return rate != null && rate.tryConsume(1);
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

    /// How often one sandbox may change something. People read what it writes, and the host counts
    /// it against the account.
    private Bucket rate() {
        return Bucket.builder()
                .addLimit(
                        limit ->
                                limit.capacity(limits.writesPerMinutePerSandboxMax())
                                        .refillGreedy(
                                                limits.writesPerMinutePerSandboxMax(),
                                                Duration.ofMinutes(1)))
                .addLimit(
                        limit ->
                                limit.capacity(limits.writesPerHourPerSandboxMax())
                                        .refillGreedy(
                                                limits.writesPerHourPerSandboxMax(),
                                                Duration.ofHours(1)))
                // A clock that is never set.
                .withCustomTimePrecision(new Meter(System::nanoTime))
                .build();
    }
}
