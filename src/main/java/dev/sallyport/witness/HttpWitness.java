package dev.sallyport.witness;

import dev.sallyport.audit.Witness;
import dev.sallyport.config.Limits;
import dev.sallyport.config.SecureResolver;
import dev.sallyport.config.WitnessPlace;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Protocol;
import dev.sallyport.upstream.Resolver;
import dev.sallyport.upstream.WebOrder;
import dev.sallyport.upstream.WholeAnswer;
import dev.sallyport.upstream.WholeAnswer.Outcome;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// Posts each head to the one URL that a policy file names. It goes the one way out, like
/// everything else, with a permit for that host alone and without any secret.
public final class HttpWitness implements Witness {
    private static final SessionId NOBODY = new SessionId("0".repeat(16));
    private static final int ANSWER_BYTES_MAX = 1 << 16;

    private final WitnessPlace.AtUrl place;
    private final EventLoop loop;
    private final Client client;
    private final EgressPermit permit;

    /// @param loop where connections are served
    public HttpWitness(
            WitnessPlace.AtUrl place,
            Limits.Upstream limits,
            Optional<SecureResolver> resolver,
            EventLoop loop) {
        this.place = place;
        this.loop = loop;
        Resolver names = Resolver.of(resolver);
        this.client = new Client(limits, List.of(), Client.Ways.of(limits, names, names));
        this.permit = permit(place);
    }

    private static EgressPermit permit(WitnessPlace.AtUrl place) {
        EgressRule rule =
                new EgressRule(
                        new HostPattern(HostPattern.Breadth.EXACT, place.host()),
                        new TreeSet<>(List.of(place.port())),
                        place.reach(),
                        Optional.empty(),
                        "policy.yaml");
        Policy policy = new Policy(NOBODY, List.of(), new Egress(List.of(rule), false));
        return switch (policy.decide(place.host(), place.port())) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) -> permit;
            case Decision.Deny<EgressPermit>(Refusal reason) ->
                    throw new IllegalArgumentException("no witness there: " + reason.code());
        };
    }

    @Override
    public void tell(String head) throws IOException {
        byte[] body = head.getBytes(StandardCharsets.US_ASCII);
        WebOrder order =
                new WebOrder(
                        permit,
                        place.tls(),
                        "POST",
                        place.path(),
                        Map.of("content-type", "text/plain", "user-agent", "sallyport"),
                        new BodyFraming.Sized(body.length),
                        Protocol.HTTP_1_1);
        CredentialBook none = new CredentialBook(List.of());
        Outcome outcome = WholeAnswer.of(client, loop, order, none, body, ANSWER_BYTES_MAX).join();
        client.end(none);
        switch (outcome) {
            case Outcome.Unanswered(String why) -> throw new IOException(why);
            case Outcome.Answered(int status, Optional<byte[]> _) -> {
                if (status < 200 || status > 299) {
                    throw new IOException("status-" + status);
                }
            }
        }
    }
}
