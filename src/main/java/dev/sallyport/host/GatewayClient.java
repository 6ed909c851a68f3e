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
import dev.sallyport.fleet.SignedAddresses;
import dev.sallyport.fleet.SignedRequest;
import dev.sallyport.policy.Reach;
import dev.sallyport.post.UrlPost;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Posts requests to gateways on other machines (ADR 37). Each goes to a gateway whose certificate
/// an authority signed that was pinned before; DNS says only where it is. Blocks until there is an
/// answer.
public final class GatewayClient {
    private static final int ANSWER_BYTES_MAX = 1 << 20;
    private static final String REQUEST = "/v1/host";
    private static final String ENROLMENT = "/v1/enrol";
    private static final int OK = 200;

    /// For the name and all of its addresses together.
    private static final Duration CONNECT_MAX = Duration.ofSeconds(3);

    /// Of one name that are tried, so that each has some time.
    private static final int PLACES_MAX = 6;

    /// In one go; more than a host knows of one gateway.
    private static final int ADDRESSES_MAX = 40;

    /// Fewer than a gateway takes of one machine at once; the others wait here.
    private final Semaphore places = new Semaphore(12, true);

    private final Supplier<Limits.Upstream> limits;
    private final EventLoop loop;

    private final NameLookups names;
    private final Silent silent = new Silent(System::nanoTime);

    /// @param loop where connections are served
    public GatewayClient(Supplier<Limits.Upstream> limits, EventLoop loop) {
        this(limits, loop, InetAddress::getAllByName);
    }

    GatewayClient(Supplier<Limits.Upstream> limits, EventLoop loop, NameLookups.Lookup lookup) {
        this.limits = limits;
        this.loop = loop;
        this.names = new NameLookups(lookup);
    }

    /// A gateway, or several that share a store, and how they are known.
    ///
    /// @param addresses `host:port`, in the order in which they are asked
    /// @param authorities that are pinned (PEM), the newest last
    public record Place(List<String> addresses, List<String> authorities) {
        public Place {
            addresses = List.copyOf(addresses);
            authorities = List.copyOf(authorities);
        }
    }

    /// An answer, and where it came from.
    public record Answered<T>(T value, String address) {}

    /// Asks at one address.
    private interface At {
        byte[] ask(String address) throws GatewayException;
    }

    /// Sends a line that makes this machine, or pod, known to the gateway.
    public HostApi.Enrolled enrol(Place gateway, String line) throws GatewayException {
        return ask(
                        gateway,
                        address -> post(address, gateway.authorities(), ENROLMENT, line),
                        HostApi.Enrolled.class)
                .value();
    }

    /// Asks for something as an enrolled host, at one address after the other, and where it is sent
    /// to; at each of them once, and at 40 at most.
    ///
    /// @param operation as in `docs/protocol/host-api.md`
    public <T> Answered<T> ask(
            Place gateway, HostKey host, String operation, Object body, Class<T> answer)
            throws GatewayException {
        return ask(
                gateway,
                address ->
                        post(
                                address,
                                gateway.authorities(),
                                REQUEST,
                                line(gateway, host, operation, body)),
                answer);
    }

    private static String line(Place gateway, HostKey host, String operation, Object body)
            throws GatewayException {
        try {
            return SignedRequest.sign(
                    host,
                    PinnedAuthorities.audience(gateway.authorities().getFirst()),
                    operation,
                    ApiJson.requests().writeValueAsBytes(body),
                    Instant.now());
        } catch (JsonProcessingException | IllegalArgumentException e) {
            throw new GatewayException(
                    GatewayException.INVALID,
                    "invalid",
                    "The request cannot be sent: " + e.getMessage() + ".",
                    "Ask for fewer things at once.",
                    e);
        }
    }

    private <T> Answered<T> ask(Place gateway, At asking, Class<T> answer) throws GatewayException {
        Deque<String> left = new ArrayDeque<>(gateway.addresses());
        List<String> late = gateway.addresses().stream().filter(silent::contains).toList();
        left.removeAll(late);
        left.addAll(late);
        Set<String> asked = new HashSet<>();
        while (true) {
            String address = left.removeFirst();
            asked.add(address);
            try {
                Answered<T> answered = new Answered<>(read(asking.ask(address), answer), address);
                silent.remove(address);
                return answered;
            } catch (GatewayException e) {
                boolean away = e.status() == GatewayException.UNAVAILABLE;
                Optional<String> there = elsewhere(e, gateway.authorities());
                there.ifPresent(left::addFirst);
                left.removeIf(asked::contains);
                if (away) {
                    silent.add(address);
                }
                if (there.isPresent()) {
                    left.removeIf(silent::contains);
                }
                boolean enough = left.isEmpty() || asked.size() == ADDRESSES_MAX;
                if (enough || (there.isEmpty() && !away)) {
                    throw e.status() == GatewayException.ELSEWHERE ? inAMoment(e) : e;
                }
            }
        }
    }

    private static GatewayException inAMoment(GatewayException e) {
        return new GatewayException(
                e.status(), e.code(), String.valueOf(e.getMessage()), "Try again in a moment.", e);
    }

    /// Where to ask, if the answer is that another gateway has the session, and the warden there
    /// has signed which, just now.
    private static Optional<String> elsewhere(GatewayException e, List<String> pinned) {
        return e.status() == GatewayException.ELSEWHERE
                ? SignedAddresses.read(
                                SignedAddresses.Use.ELSEWHERE, e.remedy(), pinned, Instant.now())
                        .flatMap(signed -> signed.stream().findFirst())
                : Optional.empty();
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

    /// What the gateway at this address answers; it has to show a certificate of one of these
    /// authorities.
    private byte[] post(String address, List<String> authorities, String path, String text)
            throws GatewayException {
        try {
            Duration max = Duration.ofSeconds(limits.get().connectSecondsMax());
            InetAddress found = found(address, max).getFirst();
            UrlPost.Answer answer = post(url(address, found, authorities, path), text);
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
                    "The gateway at " + address + " does not answer (" + e.getMessage() + ").",
                    "Check that it runs, that this machine can reach it, and that it still knows this machine: sallyport gateway (there)",
                    e);
        }
    }

    /// A connection to the gateway at this address, on which nothing was said: for a sidecar, which
    /// has no network, and proves who it is by itself. Of several addresses of one name one after
    /// the other is tried, each for its share of the time that is left.
    public FileDescriptor connect(String address) throws IOException {
        long end = System.nanoTime() + CONNECT_MAX.toNanos();
        List<InetAddress> found = found(address, CONNECT_MAX).stream().limit(PLACES_MAX).toList();
        IOException problem = new IOException("the name of the gateway has no address");
        for (int i = 0; i < found.size(); i++) {
            long share = (end - System.nanoTime()) / (found.size() - i);
            try {
                return taken(
                        UrlPost.connect(
                                        url(address, found.get(i), List.of(), REQUEST),
                                        limits.get(),
                                        loop)
                                .orTimeout(share, TimeUnit.NANOSECONDS)
                                .join());
            } catch (CompletionException e) {
                problem = new IOException(e.getCause() instanceof IOException known ? known : e);
            } catch (IOException e) {
                problem = e;
            }
        }
        throw problem;
    }

    /// Where it is. An address is not looked up.
    private List<InetAddress> found(String address, Duration max) throws IOException {
        return DialAddress.isDial(address)
                ? List.of(InetAddress.getByName(host(address)))
                : names.all(host(address), max);
    }

    /// Its descriptor, with which we have nothing more to do. Nothing closes it after this.
    private static FileDescriptor taken(Channel channel) throws IOException {
        var _ = channel.pipeline().removeFirst();
        channel.deregister().syncUninterruptibly();
        if (!channel.isOpen()) {
            throw new IOException("the gateway closed the connection");
        }
        return ((UnixChannel) channel).fd();
    }

    private static String host(String address) {
        return address.substring(0, address.lastIndexOf(':'));
    }

    private static PostUrl url(
            String address, InetAddress found, List<String> authorities, String path) {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        Reach reach =
                new Reach(
                        true,
                        Optional.of(DialAddress.of(found, port)),
                        Optional.of(String.join("", authorities)));
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
