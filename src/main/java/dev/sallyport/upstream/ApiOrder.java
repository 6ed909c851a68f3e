package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.ApiPermit;
import java.util.Map;

/// One request to the API of a permitted git host, made of parts that the door wrote itself.
///
/// @param permit says whose credential is written, and which host's API is asked
/// @param target path and query as the API's host takes them
/// @param fields header fields besides host, framing and authorization, which are added here
public record ApiOrder(
        ApiPermit permit,
        String method,
        String target,
        Map<String, String> fields,
        BodyFraming framing)
        implements Client.Order {
    public ApiOrder {
        fields = Map.copyOf(fields);
    }

    Asked asked(Place place) {
        Map<String, String> all = Asked.fields("sallyport", fields);
        return new Asked(permit, place, method, target, all, framing, Protocol.HTTP_1_1);
    }
}
