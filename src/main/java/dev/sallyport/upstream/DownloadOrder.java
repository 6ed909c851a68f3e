package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import java.util.Map;

/// A request to where the API of a git host keeps a file. It carries no credential: the address
/// that the API gave is one.
///
/// @param permit one for a download
/// @param git the host whose API gave the address; whatever leads to that leads here, too
/// @param target path and query, as the API gave them
public record DownloadOrder(EgressPermit permit, HostName git, String target)
        implements Client.Order {
    private static final int HTTPS_PORT = 443;

    public DownloadOrder {
        if (!permit.isForDownload()) {
            throw new IllegalArgumentException("not a permit for a download");
        }
    }

    Asked asked(Reach reach) {
        return new Asked(
                permit,
                new Place(permit.host(), HTTPS_PORT, true, reach),
                "GET",
                target,
                Asked.fields("sallyport", Map.of("accept", "*/*")),
                new BodyFraming.None(),
                Protocol.HTTP_1_1);
    }
}
