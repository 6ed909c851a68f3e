package dev.sallyport.egress;

import dev.sallyport.approval.Question;
import dev.sallyport.approval.RequestDigest;
import dev.sallyport.approval.ShownText;
import dev.sallyport.policy.QueryName;
import dev.sallyport.relay.Ask;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What a person is asked about a request to a host, put together while its body arrives.
final class WebQuestion {
    private final String origin;
    private final Ask ask;
    private final Judgement.Allowed allowed;
    private final RequestDigest body = new RequestDigest();

    /// @param origin scheme, host and port
    WebQuestion(String origin, Ask ask, Judgement.Allowed allowed) {
        this.origin = origin;
        this.ask = ask;
        this.allowed = allowed;
    }

    void read(ByteBuf piece) {
        body.read(piece.nioBuffer());
    }

    /// Empty when its URL is too long to be shown.
    ///
    /// @param bytes of the whole body
    Optional<Question> finish(long bytes) {
        String method = ask.head().method();
        Map<String, String> fields = PassedFields.upstream(ask.head(), allowed.permit());
        String shown = origin + allowed.path() + query();
        String sent = origin + allowed.target();
        return body.request("", method, shown, sent, fields)
                .map(request -> question(request, bytes));
    }

    private Question question(Question.Request request, long bytes) {
        String path = WebAudit.LoggedPath.of(allowed.path().toString());
        return new Question(
                "web",
                allowed.permit().host().value(),
                ShownText.line(ask.head().method() + " " + origin + path),
                List.of("rule " + allowed.permit().origin()),
                body.content(),
                bytes,
                Question.Detail.of(request));
    }

    /// Values whose names say that they are credentials are left out.
    private String query() {
        if (allowed.query().text().isEmpty()) {
            return "";
        }
        return "?" + allowed.query().masked(QueryName::isRefused);
    }
}
