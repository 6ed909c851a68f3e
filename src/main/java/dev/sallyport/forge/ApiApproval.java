package dev.sallyport.forge;

import dev.sallyport.approval.Asker;
import dev.sallyport.approval.Question;
import dev.sallyport.approval.RequestDigest;
import dev.sallyport.approval.ShownText;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.relay.Ask;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Asks a person about a request to an API as it was written anew: what they see is what goes
/// upstream.
final class ApiApproval {
    private ApiApproval() {}

    static boolean isNeeded(Ruling.Send send) {
        return send.relies().stream().anyMatch(ApiApproval::asks);
    }

    private static boolean asks(ApiPermit permit) {
        return permit.rules().asks(permit.operation());
    }

    /// Empty when the URL is too long to be shown.
    static Optional<Asker.Asked> ask(Ask ask, Ruling.Send send) {
        return question(ask, send)
                .map(question -> ask.session().asker().ask(ask.session().id(), question));
    }

    private static Optional<Question> question(Ask ask, Ruling.Send send) {
        String operations =
                send.relies().stream()
                        .filter(ApiApproval::asks)
                        .map(ApiPermit::operation)
                        .map(ApiOperation::label)
                        .distinct()
                        .collect(Collectors.joining(", "));
        String repo = send.order().permit().repo().key();
        RequestDigest body = new RequestDigest();
        body.read(ByteBuffer.wrap(send.body()));
        String url = "https://" + ask.head().host() + send.order().target();
        return body.request(operations, send.order().method(), url, url, send.order().fields())
                .map(
                        request ->
                                new Question(
                                        "api",
                                        ShownText.line(repo),
                                        ShownText.line(operations + " in " + repo),
                                        List.of("operation " + operations + " (rule api: ask)"),
                                        body.content(),
                                        send.body().length,
                                        Question.Detail.of(request)));
    }
}
