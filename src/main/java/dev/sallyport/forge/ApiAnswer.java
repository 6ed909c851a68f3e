package dev.sallyport.forge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.http.RefusalStatus;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.AnswerHead;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How answers of an API are written to the sandbox. Of upstream's fields only these are passed on;
/// not the scopes of the token, nor anything else that is about the account or the connection.
final class ApiAnswer {
    static final String JSON = "application/json; charset=utf-8";

    private static final String ABOUT = "http://gateway.sallyport/policy";
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Pattern RATE =
            Pattern.compile("x-ratelimit-(limit|remaining|reset|used|resource)|retry-after");
    private static final Pattern RATE_VALUE = Pattern.compile("[A-Za-z0-9_]{1,32}");
    private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9/+.;= _-]{1,128}");
    private static final Pattern LINK =
            Pattern.compile(
                    "<https://[A-Za-z0-9.-]+/[^<>?]{1,1000}\\?([A-Za-z0-9%&=._~+:,-]{1,1000})>;"
                            + " rel=\"(next|prev|first|last)\"");

    private ApiAnswer() {}

    static void write(Ask ask, int status, Map<String, String> fields, byte[] body) {
        ask.responder().start(status, fields, OptionalLong.of(body.length));
        ask.responder().write(Unpooled.wrappedBuffer(body));
        ask.responder().end();
    }

    /// What is passed on of the head of an answer.
    static Map<String, String> fields(Ask ask, AnswerHead head) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (AnswerHead.Field field : head.fields()) {
            if (RATE.matcher(field.name()).matches()
                    && RATE_VALUE.matcher(field.value()).matches()) {
                fields.putIfAbsent(field.name(), field.value());
            }
        }
        head.one("link").ifPresent(link -> fields.putAll(links(ask, link)));
        return fields;
    }

    /// Other pages of what was asked for, under the name that it was asked for by: the host writes
    /// the number of the repository instead.
    private static Map<String, String> links(Ask ask, String value) {
        StringBuilder links = new StringBuilder();
        Matcher link = LINK.matcher(value);
        while (link.find()) {
            links.append(links.isEmpty() ? "" : ", ");
            links.append("<https://").append(ask.head().host()).append(ask.head().path());
            links.append('?').append(link.group(1));
            links.append(">; rel=\"").append(link.group(2)).append('"');
        }
        return links.isEmpty() ? Map.of() : Map.of("link", links.toString());
    }

    /// The type of a file or diff, if it can be written.
    static String type(AnswerHead head) {
        return head.one("content-type")
                .filter(type -> TYPE.matcher(type).matches())
                .orElse("application/octet-stream");
    }

    /// Whether an answer is JSON.
    static boolean isJson(AnswerHead head) {
        String type = head.one("content-type").orElse("").split(";", 2)[0].strip();
        return type.equals("application/json")
                || (type.startsWith("application/") && type.endsWith("+json"));
    }

    /// A refusal in the form that clients show to their users.
    ///
    /// @param facts as for [Remedy]
    static void refuse(
            Ask ask, Ruling.Denied denied, OptionalLong retrySeconds, Map<String, String> facts) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("content-type", JSON);
        fields.put("cache-control", "no-store");
        fields.put("sallyport-id", ask.id());
        retrySeconds.ifPresent(s -> fields.put("retry-after", Long.toString(s)));
        ObjectNode body = MAPPER.createObjectNode();
        body.put("message", denied.hidden() ? denied.message() : text(ask, denied, facts));
        body.put("documentation_url", ABOUT);
        body.put("id", ask.id());
        int status = denied.hidden() ? 404 : status(denied.reason());
        body.put("status", Integer.toString(status));
        if (!denied.hidden()) {
            fields.put("sallyport-reason", denied.reason().code());
        }
        write(ask, status, fields, bytes(body));
    }

    private static String text(Ask ask, Ruling.Denied denied, Map<String, String> facts) {
        Map<String, String> all = new HashMap<>(denied.detail());
        all.putAll(facts);
        Optional<Remedy> remedy = Remedy.of(denied.reason(), ask.session().sandbox(), all);
        return "Sallyport: "
                + denied.message()
                + "."
                + remedy.map(known -> " To allow it: " + known.forSandbox() + ".").orElse("");
    }

    /// Clients repeat what they get most other statuses for.
    private static int status(Refusal reason) {
        boolean wrong = reason.fault() == Refusal.Fault.SANDBOX;
        return wrong && reason != Refusal.TOO_MANY_REQUESTS ? 403 : RefusalStatus.of(reason);
    }

    private static byte[] bytes(ObjectNode body) {
        try {
            return MAPPER.writeValueAsBytes(body);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a refusal cannot be written", e);
        }
    }
}
