package dev.sallyport.forge;

import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.Set;

/// The body of a request arrives. Nothing is judged before all of it is here.
final class ApiIntake implements ApiRequest.State {
    /// Clients of these names take a log's address from a redirect and ask for it by themselves.
    private static final Set<String> INSISTING = Set.of("go-github", "github-mcp-server");

    /// Where they are sent: the same request at this door once more.
    static final String FOLLOWED = "/sallyport/followed";

    private final ApiRequest request;
    private final ApiSite site;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    ApiIntake(ApiRequest request, ApiSite site) {
        this.request = request;
        this.site = site;
    }

    @Override
    public void body(ByteBuf piece) {
        try {
            int bytes = piece.readableBytes();
            if (body.size() + bytes > request.shared().limits().requestBytesMax()) {
                request.deny(Ruling.Denied.of(Refusal.BODY_TOO_LARGE));
            } else if (!request.hold(bytes)) {
                request.deny(Ruling.Denied.of(Refusal.GATEWAY_BUSY));
            } else {
                byte[] copy = new byte[bytes];
                piece.readBytes(copy);
                body.writeBytes(copy);
            }
        } finally {
            piece.release();
        }
    }

    @Override
    public void end() {
        RequestHead head = request.ask().head();
        byte[] whole = body.toByteArray();
        String prefix = site.api().restRoot() + FOLLOWED;
        boolean followed = head.path().startsWith(prefix + "/");
        String path =
                followed
                        ? site.api().restRoot() + head.path().substring(prefix.length())
                        : head.path();
        if (!site.isForQueries(path)) {
            RestRequest asked =
                    new RestRequest(
                            site.git(),
                            head.method(),
                            path,
                            head.query(),
                            head.field("accept").orElse(""),
                            whole);
            String etag = head.field("if-none-match").orElse("");
            judge(
                    new RestMatter(request.shared().rest(), site, asked, etag),
                    !followed && insists(head));
        } else if (site.dialect().forge() != Forge.GITHUB) {
            request.deny(
                    new Ruling.Denied(
                            Refusal.OPERATION_NOT_ALLOWED,
                            "queries (GraphQL) cannot be sent to this host; use its REST API, "
                                    + site.api().restRoot(),
                            false,
                            Map.of()));
        } else if (head.method().equals("POST") && head.query().isEmpty()) {
            SessionId session = request.door().session();
            judge(new QueryMatter(request.shared()::queries, session, site, whole), false);
        } else {
            request.deny(Ruling.Denied.of(Refusal.METHOD_NOT_ALLOWED));
        }
    }

    private static boolean insists(RequestHead head) {
        String agent = head.field("user-agent").orElse("");
        return INSISTING.stream().anyMatch(agent::startsWith);
    }

    /// @param redirects whether a log is answered with an address of ours
    private void judge(Matter matter, boolean redirects) {
        ApiJudging judging = new ApiJudging(request, site, matter, redirects);
        request.become(judging);
        judging.judge();
    }
}
