package dev.sallyport.post;

import dev.sallyport.config.Limits;
import dev.sallyport.config.PostUrl;
import dev.sallyport.config.SecureResolver;
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
import dev.sallyport.upstream.Dialer;
import dev.sallyport.upstream.Protocol;
import dev.sallyport.upstream.Resolver;
import dev.sallyport.upstream.WebOrder;
import dev.sallyport.upstream.WholeAnswer;
import dev.sallyport.upstream.WholeAnswer.Outcome;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/// Posts to one URL. It goes the one way out, like everything else, with a permit for that host
/// alone and without any secret. No redirect is followed.
public final class UrlPost implements Post {
    private static final SessionId NOBODY = new SessionId("0".repeat(16));

    private final PostUrl url;
    private final EventLoop loop;
    private final Client client;
    private final EgressPermit permit;

    /// @param loop where connections are served
    public UrlPost(
            PostUrl url,
            Limits.Upstream limits,
            Optional<SecureResolver> resolver,
            EventLoop loop) {
        this.url = url;
        this.loop = loop;
        Resolver names = Resolver.of(resolver);
        this.client = new Client(limits, List.of(), Client.Ways.of(limits, names, names));
        this.permit = permit(url);
    }

    /// Only connects there, and says nothing; see [Dialer#dial].
    public static CompletableFuture<Channel> connect(
            PostUrl url, Limits.Upstream limits, EventLoop loop) {
        return new Dialer(limits, Resolver.of(Optional.empty())).dial(permit(url), loop);
    }

    private static EgressPermit permit(PostUrl url) {
        EgressRule rule =
                new EgressRule(
                        new HostPattern(HostPattern.Breadth.EXACT, url.host()),
                        new TreeSet<>(List.of(url.port())),
                        url.reach(),
                        Optional.empty(),
                        "policy.yaml");
        Policy policy = new Policy(NOBODY, List.of(), new Egress(List.of(rule), false));
        return switch (policy.decide(url.host(), url.port())) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) -> permit;
            case Decision.Deny<EgressPermit>(Refusal reason) ->
                    throw new IllegalArgumentException("no post there: " + reason.code());
        };
    }

    /// What came back.
    ///
    /// @param json the body, if it is one of JSON
    public record Answer(int status, Optional<byte[]> json) {}

    /// For a host that has something to say.
    ///
    /// @param bytesMax of the answer
    public Answer ask(String type, String text, int bytesMax) throws IOException {
        return send(type, Map.of(), text.getBytes(StandardCharsets.UTF_8), bytesMax);
    }

    @Override
    public void send(String type, Map<String, String> fields, byte[] body) throws IOException {
        int status = send(type, fields, body, 0).status();
        if (status < 200 || status > 299) {
            throw new IOException("status-" + status);
        }
    }

    private Answer send(String type, Map<String, String> fields, byte[] body, int bytesMax)
            throws IOException {
        Map<String, String> all = new HashMap<>(fields);
        all.put("content-type", type);
        all.put("user-agent", "sallyport");
        WebOrder order =
                new WebOrder(
                        permit,
                        url.tls(),
                        "POST",
                        url.path(),
                        all,
                        new BodyFraming.Sized(body.length),
                        Protocol.HTTP_1_1);
        CredentialBook none = new CredentialBook(List.of());
        Outcome outcome = WholeAnswer.of(client, loop, order, none, body.clone(), bytesMax).join();
        client.end(none);
        return switch (outcome) {
            case Outcome.Unanswered(String why) -> throw new IOException(why);
            case Outcome.Answered(int status, Optional<byte[]> json) -> new Answer(status, json);
        };
    }
}
