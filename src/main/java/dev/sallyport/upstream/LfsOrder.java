package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Reach;
import java.util.Map;
import java.util.Optional;

/// One request about large files, made of parts that the door wrote or checked itself: to the git
/// host, with its credential, or to where it keeps objects, without.
///
/// @param permit whose git host is asked, or has named the store
/// @param store a permit for storage; when it is there, no credential is written
/// @param target path and query
/// @param fields header fields besides host, framing and the credential, which are added here
/// @param kept whether the gateway keeps the answer to itself
public record LfsOrder(
        GitPermit permit,
        Optional<EgressPermit> store,
        String method,
        String target,
        Map<String, String> fields,
        BodyFraming framing,
        boolean kept)
        implements Client.Order {
    /// Some servers tell clients apart by it.
    private static final String USER_AGENT = "git-lfs/3.5 sallyport/0.1";

    private static final int HTTPS_PORT = 443;

    public LfsOrder {
        fields = Map.copyOf(fields);
        if (store.filter(place -> !place.isForStorage()).isPresent()) {
            throw new IllegalArgumentException("not a permit for storage");
        }
    }

    /// @param git the git host
    /// @param toStore how the store is reached
    Asked asked(Place git, Reach toStore) {
        return new Asked(
                store.<Permit>map(place -> place).orElse(permit),
                store.map(place -> new Place(place.host(), HTTPS_PORT, true, toStore)).orElse(git),
                method,
                target,
                Optional.empty(),
                Asked.fields(USER_AGENT, fields),
                framing,
                Protocol.HTTP_1_1,
                Optional.empty(),
                kept);
    }
}
