package dev.sallyport.forge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.http.RefusalStatus;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.AnswerHead;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// How answers of an API are written to the sandbox. Of upstream's fields only these are passed on;
/// not the scopes of the token, nor anything else that is about the account or the connection.
final class ApiAnswer {
    static final String JSON = "application/json; charset=utf-8";

    private static final String RERUN = ApiOperation.RERUN.label();
    private static final String ABOUT = "http://gateway.sallyport/policy";
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Pattern RATE =
            Pattern.compile(
                    "(?:x-)?ratelimit-(limit|remaining|reset|used|resource)|retry-after"
                            + "|x-(page|per-page|next-page|prev-page|total|total-pages|total-count)");
    private static final Set<String> PAGES = Set.of("page", "per_page", "limit", "after", "before");
    private static final Pattern RATE_VALUE = Pattern.compile("[A-Za-z0-9_]{1,32}");
    private static final Pattern ETAG = Pattern.compile("(W/)?\"[A-Za-z0-9_+/=-]{1,128}\"");
    private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9/+.;= _-]{1,128}");
    private static final Pattern LINK =
            Pattern.compile(
                    "<https://[A-Za-z0-9.-]+/[^<>?]{1,1000}\\?([A-Za-z0-9%&=._~+:,-]{1,1000})>;"
                            + " rel=\"(next|prev|first|last)\"");

    private ApiAnswer() {}

    /// What is passed on of the head of an answer.
    static Map<String, String> fields(Ask ask, AnswerHead head) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (AnswerHead.Field field : head.fields()) {
            if (RATE.matcher(field.name()).matches()
                    && RATE_VALUE.matcher(field.value()).matches()) {
                fields.putIfAbsent(field.name(), field.value());
            }
        }
        head.one("etag").filter(ApiAnswer::isEtag).ifPresent(etag -> fields.put("etag", etag));
        head.one("link").ifPresent(link -> fields.putAll(links(ask, link)));
        return fields;
    }

    /// Whether it names one version of an answer, and can be written.
    static boolean isEtag(String text) {
        return ETAG.matcher(text).matches();
    }

    /// Other pages of what was asked for, under the name that it was asked for by: the host writes
    /// the number of the repository instead.
    private static Map<String, String> links(Ask ask, String value) {
        StringBuilder links = new StringBuilder();
        Matcher link = LINK.matcher(value);
        while (link.find()) {
            links.append(links.isEmpty() ? "" : ", ");
            links.append("<https://").append(ask.head().host()).append(ask.head().path());
            links.append('?').append(paged(ask, link.group(1)));
            links.append(">; rel=\"").append(link.group(2)).append('"');
        }
        return links.isEmpty() ? Map.of() : Map.of("link", links.toString());
    }

    /// Of the parameters those that were asked with, and those that say which page it is; some
    /// hosts add the rest of what they know.
    private static String paged(Ask ask, String query) {
        Set<String> asked =
                Arrays.stream(ask.head().query().split("&", -1))
                        .map(ApiAnswer::name)
                        .collect(Collectors.toSet());
        return Arrays.stream(query.split("&", -1))
                .filter(p -> PAGES.contains(name(p)) || asked.contains(name(p)))
                .collect(Collectors.joining("&"));
    }

    private static String name(String parameter) {
        return parameter.split("=", 2)[0];
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
    static void refuse(Ask ask, Ruling.Denied denied, OptionalLong retrySeconds) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("content-type", JSON);
        fields.put("cache-control", "no-store");
        fields.put("sallyport-id", ask.id());
        retrySeconds.ifPresent(s -> fields.put("retry-after", Long.toString(s)));
        ObjectNode body = MAPPER.createObjectNode();
        body.put("message", denied.hidden() ? denied.message() : text(ask, denied));
        body.put("documentation_url", ABOUT);
        body.put("id", ask.id());
        int status = denied.hidden() ? 404 : status(denied);
        body.put("status", Integer.toString(status));
        if (!denied.hidden()) {
            fields.put("sallyport-reason", denied.reason().code());
        }
        ask.responder().answer(status, fields, Unpooled.wrappedBuffer(bytes(body)));
    }

    private static String text(Ask ask, Ruling.Denied denied) {
        Optional<Remedy> remedy =
                Remedy.of(denied.reason(), ask.session().sandbox(), denied.detail());
        return "Sallyport: "
                + denied.message()
                + "."
                + remedy.map(known -> " To allow it: " + known.forSandbox() + ".").orElse("");
    }

    /// Clients repeat what they get most other statuses for. Of a 403 for a run that is to run
    /// again, gh says that its workflow is broken, and not why.
    private static int status(Ruling.Denied denied) {
        Refusal reason = denied.reason();
        if (reason.fault() != Refusal.Fault.SANDBOX || reason == Refusal.TOO_MANY_REQUESTS) {
            return RefusalStatus.of(reason);
        }
        return RERUN.equals(denied.detail().get("operation")) ? 422 : 403;
    }

    private static byte[] bytes(ObjectNode body) {
        try {
            return MAPPER.writeValueAsBytes(body);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a refusal cannot be written", e);
        }
    }
}
