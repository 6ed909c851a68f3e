package dev.sallyport.egress;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.Hashes;
import dev.sallyport.upstream.AnswerHead;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The handshake of a WebSocket (RFC 6455, section 4), as both sides have to give it.
final class WebSocket {
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final String KEY = "sec-websocket-key";
    private static final int KEY_BYTES = 16;

    /// Fields of the answer that may be there or not, but not twice.
    private static final List<String> OPTIONAL =
            List.of("sec-websocket-protocol", "sec-websocket-extensions");

    private WebSocket() {}

    static boolean isAskedFor(RequestHead head) {
        return head.method().equals("GET")
                && head.framing() instanceof BodyFraming.None
                && hasUpgrade(head.field("connection").orElse(""))
                && head.field("sec-websocket-version").filter("13"::equals).isPresent()
                && head.field(KEY).filter(WebSocket::isKey).isPresent();
    }

    private static boolean hasUpgrade(String options) {
        return Arrays.stream(options.split(","))
                .anyMatch(option -> option.strip().equalsIgnoreCase("upgrade"));
    }

    private static boolean isKey(String text) {
        try {
            byte[] key = Base64.getDecoder().decode(text);
            return key.length == KEY_BYTES && Base64.getEncoder().encodeToString(key).equals(text);
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /// The fields for the sandbox, when the host has agreed to what was asked, and to nothing else.
    ///
    /// @param asked the fields that the host was sent
    static Optional<Map<String, String>> accepted(Map<String, String> asked, AnswerHead answer) {
        String accept = accept(asked.getOrDefault(KEY, ""));
        boolean agreed =
                answer.values("upgrade").stream().allMatch("websocket"::equalsIgnoreCase)
                        && answer.values("upgrade").size() == 1
                        && answer.values("connection").stream().anyMatch(WebSocket::hasUpgrade)
                        && answer.values("sec-websocket-accept").equals(List.of(accept));
        if (!agreed) {
            return Optional.empty();
        }
        Map<String, String> fields = new HashMap<>();
        fields.put("upgrade", "websocket");
        fields.put("sec-websocket-accept", accept);
        for (String name : OPTIONAL) {
            List<String> values = answer.values(name);
            if (values.size() > 1 || (!values.isEmpty() && !asked.containsKey(name))) {
                return Optional.empty();
            }
            values.forEach(value -> fields.put(name, value));
        }
        return Optional.of(fields);
    }

    private static String accept(String key) {
        byte[] text = (key + GUID).getBytes(StandardCharsets.US_ASCII);
        return Base64.getEncoder().encodeToString(Hashes.sha1().digest(text));
    }
}
