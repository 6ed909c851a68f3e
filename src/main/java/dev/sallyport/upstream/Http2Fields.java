package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.http.HopByHop;
import dev.sallyport.http.Http2Field;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/// Turns heads of HTTP/1.1 into those of HTTP/2 and back. A request is written once, by [Asked],
/// and an answer is parsed once, by [AnswerHeadParser], so that no rule of one is missing in the
/// other. What HTTP/1.1 could not even express is found here first (RFC 9113, section 8).
final class Http2Fields {
    private static final String STATUS = ":status";
    private static final int STATUS_DIGITS = 3;

    private Http2Fields() {}

    /// `te` is about the connection and yet has a place in HTTP/2 (RFC 9113, section 8.2.2).
    static Http2Headers request(HttpRequest head) {
        Http2Headers fields =
                new DefaultHttp2Headers()
                        .method(head.method().asciiName())
                        .scheme("https")
                        .authority(head.headers().get(HttpHeaderNames.HOST))
                        .path(head.uri());
        for (Map.Entry<String, String> field : head.headers()) {
            String name = field.getKey().toLowerCase(Locale.ROOT);
            if (!name.equals("host") && (name.equals("te") || !HopByHop.has(name))) {
                fields.add(name, field.getValue());
            }
        }
        return fields;
    }

    static Http2Headers trailers(Map<String, String> fields) {
        Http2Headers trailers = new DefaultHttp2Headers();
        fields.forEach(trailers::add);
        return trailers;
    }

    /// @param headRequest whether the request was HEAD, so that no body follows
    static AnswerHead answer(Http2Headers headers, boolean headRequest, Limits.Upstream limits)
            throws BadAnswerException {
        String status = "";
        boolean sized = false;
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<CharSequence, CharSequence> field : headers) {
            String name = field.getKey().toString();
            String value = field.getValue().toString();
            if (name.equals(STATUS) && status.isEmpty()) {
                status = value;
            } else {
                lines.append("\r\n").append(line(name, value));
                sized |= name.equals("content-length");
            }
        }
        // As in HTTP/1.1, where it says that the body tells its own end.
        String framing = sized ? "" : "\r\ntransfer-encoding: chunked";
        AnswerHead head =
                AnswerHeadParser.parse("HTTP/1.1 " + status + lines + framing, headRequest, limits);
        // There is no other protocol to switch to (RFC 9113, section 8.6).
        if (status.length() != STATUS_DIGITS || head.status() == 101) {
            throw new BadAnswerException();
        }
        return head;
    }

    /// The fields after a body.
    static List<AnswerHead.Field> trailers(Http2Headers headers, Limits.Upstream limits)
            throws BadAnswerException {
        StringJoiner lines = new StringJoiner("\r\n");
        for (Map.Entry<CharSequence, CharSequence> field : headers) {
            lines.add(line(field.getKey().toString(), field.getValue().toString()));
        }
        return AnswerHeadParser.trailers(lines.toString(), limits);
    }

    private static String line(String name, String value) throws BadAnswerException {
        if (!Http2Field.isRegular(name, value)) {
            throw new BadAnswerException();
        }
        return name + ": " + value;
    }
}
