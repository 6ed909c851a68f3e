package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.Permit;
import java.util.Map;

/// One request to a permitted host, made of parts that the door checked or wrote itself.
///
/// @param permit says which host is dialled and whose credential is written
/// @param target path and query; built from the permit, never copied from a sandbox
/// @param fields header fields besides host, framing and authorization, which are added here
/// @param answerType the one content type that the answer may have
public record UpstreamRequest(
        Permit permit,
        String method,
        String target,
        Map<String, String> fields,
        BodyFraming framing,
        String answerType) {
    public UpstreamRequest {
        fields = Map.copyOf(fields);
    }
}
