package dev.sallyport.mirror;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.upstream.AnswerStream;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.UpstreamRequest;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;

/// Talks to upstream with the rights of one session, in protocol v0, which every host speaks.
///
/// @param loop one for all its requests, so that they share a connection
/// @param refsMax how many refs upstream may have
record Fetch(
        Client upstream,
        EventLoop loop,
        GitPermit permit,
        CredentialBook credentials,
        int refsMax,
        Deadline deadline) {
    private static final GitService SERVICE = GitService.UPLOAD_PACK;
    private static final String TYPE = "application/x-" + SERVICE.wireName() + "-";
    private static final String CAPABILITIES =
            " side-band-64k ofs-delta no-progress agent=sallyport";
    private static final int LENGTH_BYTES = 4;

    Advertised ask() throws IOException {
        UpstreamRequest request =
                new UpstreamRequest(
                        permit,
                        "GET",
                        "info/refs?service=" + SERVICE.wireName(),
                        Map.of("accept", "*/*"),
                        new BodyFraming.None(),
                        TYPE + "advertisement");
        try (InputStream answer = open(request, new byte[0])) {
            return Advertised.read(answer, permit.visible(), refsMax);
        }
    }

    /// Asks for everything that `wants` reach and `haves` do not, in one round.
    InputStream pack(Collection<ObjectName> wants, Collection<ObjectName> haves) {
        byte[] body = body(wants, haves).getBytes(StandardCharsets.US_ASCII);
        UpstreamRequest request =
                new UpstreamRequest(
                        permit,
                        "POST",
                        SERVICE.wireName(),
                        Map.of("accept", TYPE + "result", "content-type", TYPE + "request"),
                        new BodyFraming.Sized(body.length),
                        TYPE + "result");
        return new SideBand(open(request, body));
    }

    private AnswerStream open(UpstreamRequest request, byte[] body) {
        return AnswerStream.open(upstream, request, body, credentials, loop, deadline.nanos());
    }

    private static String body(Collection<ObjectName> wants, Collection<ObjectName> haves) {
        StringBuilder body = new StringBuilder();
        String capabilities = CAPABILITIES;
        for (ObjectName want : wants) {
            packet(body, "want " + want + capabilities + "\n");
            capabilities = "";
        }
        body.append("0000");
        haves.forEach(have -> packet(body, "have " + have + "\n"));
        packet(body, "done\n");
        return body.toString();
    }

    private static void packet(StringBuilder body, String line) {
        body.append(HexFormat.of().toHexDigits((short) (line.length() + LENGTH_BYTES)))
                .append(line);
    }
}
