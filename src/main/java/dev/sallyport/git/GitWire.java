package dev.sallyport.git;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.UpstreamRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The fixed words of smart HTTP, and the requests upstream made of them and of a permit.
final class GitWire {
    /// What every answer of the git door says, in the words and the order of git's own server.
    private static final Map<String, String> UNCACHED = uncached();

    private static Map<String, String> uncached() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("expires", "Fri, 01 Jan 1980 00:00:00 GMT");
        fields.put("pragma", "no-cache");
        fields.put("cache-control", "no-cache, max-age=0, must-revalidate");
        return fields;
    }

    private GitWire() {}

    static String requestType(GitService service) {
        return "application/x-" + service.wireName() + "-request";
    }

    static String resultType(GitService service) {
        return "application/x-" + service.wireName() + "-result";
    }

    static String advertisementType(GitService service) {
        return "application/x-" + service.wireName() + "-advertisement";
    }

    static Map<String, String> answerFields(String type) {
        Map<String, String> fields = new LinkedHashMap<>(UNCACHED);
        fields.put("content-type", type);
        return fields;
    }

    static UpstreamRequest advertise(GitPermit permit, Optional<String> version) {
        GitService service = permit.service();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("accept", "*/*");
        version.ifPresent(value -> fields.put("git-protocol", value));
        return new UpstreamRequest(
                permit,
                "GET",
                "info/refs?service=" + service.wireName(),
                fields,
                new BodyFraming.None(),
                advertisementType(service));
    }

    static UpstreamRequest call(GitPermit permit, BodyFraming framing, Optional<String> version) {
        GitService service = permit.service();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("accept", resultType(service));
        fields.put("content-type", requestType(service));
        version.ifPresent(value -> fields.put("git-protocol", value));
        return new UpstreamRequest(
                permit, "POST", service.wireName(), fields, framing, resultType(service));
    }

    /// A push, or the probe before it, in the version that the sandbox speaks.
    static UpstreamRequest push(Ask ask, GitPermit permit, long bytes) {
        Optional<String> asked = ask.head().field("git-protocol");
        return call(permit, new BodyFraming.Sized(bytes), version(asked, GitService.RECEIVE_PACK));
    }

    /// The protocol version that upstream is asked for. Version 2 has no push: servers that are
    /// asked for it answer in version 0, so they are not asked.
    static Optional<String> version(Optional<String> asked, GitService service) {
        return asked.filter(
                value ->
                        switch (value) {
                            case "version=0", "version=1" -> true;
                            case "version=2" -> service == GitService.UPLOAD_PACK;
                            default -> false;
                        });
    }
}
