package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.EgressPermit;
import java.util.LinkedHashMap;
import java.util.Map;

/// One request to a permitted host besides git, made of parts that the door checked.
///
/// @param permit says which host is dialled, and which secret is injected
/// @param tls whether the host is spoken TLS with
/// @param target path and query, both rebuilt
/// @param fields those that are passed on; host, framing and whatever is about the connection are
///   added here
/// @param protocol what it is made in
public record WebOrder(
        EgressPermit permit,
        boolean tls,
        String method,
        String target,
        Map<String, String> fields,
        BodyFraming framing,
        Protocol protocol) {
    public WebOrder {
        fields = Map.copyOf(fields);
    }

    Asked asked() {
        Map<String, String> clean = new LinkedHashMap<>();
        fields.forEach((name, value) -> clean.put(name, value.replace('\t', ' ')));
        return new Asked(
                permit,
                new Place(permit.host(), permit.port(), tls, permit.reach()),
                method,
                target,
                clean,
                framing,
                protocol);
    }
}
