package dev.sallyport.lfs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.audit.Recorder;
import dev.sallyport.http.RefusalStatus;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.policy.RepoName;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.Unpooled;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// How the LFS API answers, in the form that git-lfs shows to its user. Never with 401, which would
/// make it ask for a password.
final class LfsAnswer {
    private static final String ABOUT = "http://gateway.sallyport/policy";

    private LfsAnswer() {}

    static void write(Ask ask, int status, JsonNode body) {
        write(ask, status, fields(), LfsJson.JSON.bytes(body));
    }

    private static Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("content-type", LfsJson.TYPE);
        fields.put("cache-control", "no-store");
        return fields;
    }

    private static void write(Ask ask, int status, Map<String, String> fields, byte[] body) {
        ask.responder().answer(status, fields, Unpooled.wrappedBuffer(body));
    }

    /// A refusal about a repository that is granted.
    static void refuse(Ask ask, RepoName repo, Failure failure) {
        refuse(ask, repo, failure, failure.detail());
    }

    /// The same.
    ///
    /// @param detail more than upstream's answer
    static void refuse(Ask ask, RepoName repo, Failure failure, String detail) {
        refuse(ask, failure, text(ask, Optional.of(repo), failure.reason(), detail));
    }

    /// A refusal about a repository that is granted, when that is recorded, or because it is not.
    static void refuse(Ask ask, RepoName repo, Refusal reason, CompletableFuture<Void> record) {
        Recorder.then(
                record,
                ask.responder().loop(),
                unrecorded -> refuse(ask, repo, Failure.of(unrecorded.orElse(reason))));
    }

    /// A refusal that says nothing about any repository.
    static void refuse(Ask ask, Refusal reason) {
        refuse(ask, Failure.of(reason), text(ask, Optional.empty(), reason, ""));
    }

    private static void refuse(Ask ask, Failure failure, String message) {
        Map<String, String> fields = fields();
        fields.put("sallyport-id", ask.id());
        fields.put("sallyport-reason", failure.reason().code());
        failure.retrySeconds().ifPresent(s -> fields.put("retry-after", Long.toString(s)));
        ObjectNode body = LfsJson.JSON.object();
        body.put("message", message);
        body.put("documentation_url", ABOUT);
        body.put("request_id", ask.id());
        write(ask, RefusalStatus.of(failure.reason()), fields, LfsJson.JSON.bytes(body));
    }

    /// The words for a refusal, with what would allow it.
    ///
    /// @param repo absent when the answer must not depend on it
    static String text(Ask ask, Optional<RepoName> repo, Refusal reason, String detail) {
        Map<String, String> facts = repo.map(name -> Map.of("repo", name.key())).orElse(Map.of());
        Optional<Remedy> remedy = Remedy.of(reason, ask.session().sandbox(), facts);
        return "Sallyport: "
                + reason.sentence()
                + (detail.isEmpty() ? "" : " (" + detail + ")")
                + "."
                + remedy.map(known -> " To allow it: " + known.forSandbox() + ".").orElse("");
    }
}
