package dev.sallyport.host;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.sallyport.config.DialAddress;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PostUrl;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.HostApi;
import dev.sallyport.fleet.FleetNames;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.PinnedAuthorities;
import dev.sallyport.fleet.SignedRequest;
import dev.sallyport.policy.Reach;
import dev.sallyport.post.UrlPost;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/// Posts requests to gateways on other machines (ADR 37). Each goes to a gateway whose certificate
/// an authority signed that was pinned before; DNS says only where it is. Blocks until there is an
/// answer.
public final class GatewayClient {
    private static final int ANSWER_BYTES_MAX = 1 << 20;
    private static final String REQUEST = "/v1/host";
    private static final String ENROLMENT = "/v1/enrol";
    private static final int OK = 200;

    /// Fewer than a gateway takes of one machine at once; the others wait here.
    private final Semaphore places = new Semaphore(12, true);

    private final Supplier<Limits.Upstream> limits;
    private final EventLoop loop;

    /// @param loop where connections are served
    public GatewayClient(Supplier<Limits.Upstream> limits, EventLoop loop) {
        this.limits = limits;
        this.loop = loop;
    }

    /// A gateway, and how it is known.
    ///
    /// @param address `host:port`
    /// @param authorities that are pinned (PEM), the newest last
    public record Place(String address, List<String> authorities) {
        public Place {
            authorities = List.copyOf(authorities);
        }
    }

    /// Sends a line that makes this machine, or pod, known to the gateway.
    public HostApi.Enrolled enrol(Place gateway, String line) throws GatewayException {
        return read(post(gateway, ENROLMENT, line), HostApi.Enrolled.class);
    }

    /// Asks for something as an enrolled host.
    ///
    /// @param operation as in `docs/protocol/host-api.md`
    public <T> T ask(Place gateway, HostKey host, String operation, Object body, Class<T> answer)
            throws GatewayException {
        try {
            String line =
                    SignedRequest.sign(
                            host,
                            PinnedAuthorities.audience(gateway.authorities().getFirst()),
                            operation,
                            ApiJson.requests().writeValueAsBytes(body),
                            Instant.now());
            return read(post(gateway, REQUEST, line), answer);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new GatewayException(
                    GatewayException.INVALID,
                    "invalid",
                    "The request cannot be sent: " + e.getMessage() + ".",
                    "Ask for fewer things at once.",
                    e);
        }
    }

    /// Those that are trusted from now on, after the gateway has told which it has.
    ///
    /// @param pinned in PEM
    public static List<String> learned(List<String> pinned, List<HostApi.Authority> told) {
        return PinnedAuthorities.after(
                pinned,
                told.stream()
                        .map(one -> new PinnedAuthorities.Told(one.pem(), one.endorsement()))
                        .toList());
    }

    private byte[] post(Place gateway, String path, String text) throws GatewayException {
        try {
            UrlPost.Answer answer = post(url(gateway, path), text);
            byte[] json = answer.json().orElse(new byte[0]);
            if (answer.status() == OK) {
                return json;
            }
            Api.Problem problem = read(json, Api.Problem.class);
            throw new GatewayException(
                    answer.status(),
                    problem.code(),
                    "The gateway says: " + problem.message(),
                    problem.remedy());
        } catch (IOException e) {
            throw new GatewayException(
                    GatewayException.UNAVAILABLE,
                    "unavailable",
                    "The gateway at "
                            + gateway.address()
                            + " does not answer ("
                            + e.getMessage()
                            + ").",
                    "Check that it runs, that this machine can reach it, and that it still knows this machine: sallyport gateway (there)",
                    e);
        }
    }

    private static PostUrl url(Place gateway, String path) throws UnknownHostException {
        String address = gateway.address();
        int colon = address.lastIndexOf(':');
        int port = Integer.parseInt(address.substring(colon + 1));
        Reach reach =
                new Reach(
                        true,
                        Optional.of(
                                DialAddress.of(
                                        InetAddress.getByName(address.substring(0, colon)), port)),
                        Optional.of(String.join("", gateway.authorities())));
        return new PostUrl(FleetNames.GATEWAY, port, true, path, reach);
    }

    private UrlPost.Answer post(PostUrl url, String text) throws IOException {
        places.acquireUninterruptibly();
        try {
            return new UrlPost(url, limits.get(), Optional.empty(), loop)
                    .ask("text/plain", text, ANSWER_BYTES_MAX);
        } finally {
            places.release();
        }
    }

    private static <T> T read(byte[] json, Class<T> type) throws GatewayException {
        try {
            return ApiJson.requests().readValue(json, type);
        } catch (IOException e) {
            throw new GatewayException(
                    GatewayException.FAILED,
                    "failed",
                    "The gateway's answer is not readable.",
                    "Install the same version of Sallyport on both machines.",
                    e);
        }
    }
}
