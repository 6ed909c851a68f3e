package dev.sallyport.egress;

import dev.sallyport.approval.Asker;
import dev.sallyport.approval.Question;
import dev.sallyport.approval.RequestDigest;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A person is asked about one connection to a host. A yes is to this connection and no other; the
/// next one asks again. Nothing is dialled before.
final class Asking implements SecureConnection.State {
    private static final String METHOD = "CONNECT";

    private final SecureConnection connection;
    private final ClientHello.Hello hello;
    private final EgressPermit permit;
    private Asker.@Nullable Asked asked;

    Asking(SecureConnection connection, ClientHello.Hello hello, EgressPermit permit) {
        this.connection = connection;
        this.hello = hello;
        this.permit = permit;
    }

    void start() {
        LiveSession session = connection.terms().session().get();
        Asker.Asked waiting = session.asker().ask(session.id(), question());
        asked = waiting;
        waiting.then(connection.channel().eventLoop(), reply -> answered(waiting.id(), reply));
    }

    /// What is said in the connection is for those at its ends, so it is never shown as a whole.
    private Question question() {
        RequestDigest nothing = new RequestDigest();
        String target = permit.host() + ":" + permit.port();
        Question.Request whole =
                nothing.request("", METHOD, target, target, Map.of()).orElseThrow();
        Question.Request shown =
                new Question.Request("", METHOD, target, List.of(), whole.address(), "", false);
        return new Question(
                "web",
                permit.host().value(),
                "one connection to " + target,
                List.of("rule " + permit.origin(), "nobody sees what is said in a connection"),
                nothing.content(),
                0,
                Question.Detail.of(shown));
    }

    private void answered(String id, Asker.Reply reply) {
        if (!connection.isIn(this)) {
            return;
        }
        asked = null;
        Optional<Refusal> refusal = reply.outcome().refusal();
        if (refusal.isEmpty()) {
            connection.approved(hello, id);
        } else {
            connection.refuse(refusal.get(), Map.of("rule", permit.origin()));
        }
    }

    /// What arrives early is held.
    @Override
    public void arrived(ByteBuf bytes) {}

    @Override
    public void over() {
        Asker.Asked waiting = asked;
        if (waiting != null) {
            waiting.withdraw();
        }
    }
}
