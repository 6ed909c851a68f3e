package dev.sallyport.warden;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PostUrl;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.FleetNames;
import dev.sallyport.policy.Reach;
import dev.sallyport.post.UrlPost;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/// Posts lines to gateways on other machines and reads their answers.
final class GatewayPost {
    private static final int ANSWER_BYTES_MAX = 1 << 20;

    /// Fewer than a gateway takes of one machine at once; the others wait here.
    private final Semaphore places = new Semaphore(12, true);

    /// So long somebody who did not answer is asked after all the others.
    private static final Duration SILENT = Duration.ofSeconds(10);

    private final Supplier<Limits.Upstream> limits;
    private final EventLoop loop;

    /// Who did not answer, and when that was, by [System#nanoTime].
    private final Map<String, Long> silent = new ConcurrentHashMap<>();

    GatewayPost(Supplier<Limits.Upstream> limits, EventLoop loop) {
        this.limits = limits;
        this.loop = loop;
    }

    /// An answer, and where it came from.
    record Answered<T>(T value, String address) {}

    /// Asks at one address.
    interface At {
        byte[] ask(String address) throws OperationException;
    }

    /// Asks at one address after the other, and where it is sent to; at each of them once.
    <T> Answered<T> ask(List<String> addresses, At asking, Class<T> answer)
            throws OperationException {
        Deque<String> left = new ArrayDeque<>(addresses);
        addresses.stream().filter(this::isSilent).forEach(left::remove);
        addresses.stream().filter(this::isSilent).forEach(left::addLast);
        Set<String> asked = new HashSet<>();
        while (true) {
            String address = left.removeFirst();
            asked.add(address);
            try {
                Answered<T> answered = new Answered<>(read(asking.ask(address), answer), address);
                silent.remove(address);
                return answered;
            } catch (OperationException e) {
                boolean away = e.status() == OperationException.Fault.UNAVAILABLE.status();
                Optional<String> there = elsewhere(e);
                there.ifPresent(left::addFirst);
                left.removeIf(asked::contains);
                if (away) {
                    silent.put(address, System.nanoTime());
                }
                if (there.isPresent()) {
                    left.removeIf(this::isSilent);
                }
                if (left.isEmpty() || (there.isEmpty() && !away)) {
                    throw e;
                }
            }
        }
    }

    private boolean isSilent(String address) {
        Long since = silent.get(address);
        return since != null && System.nanoTime() - since < SILENT.toNanos();
    }

    /// Where to ask, if the answer is that another gateway has the session, and which.
    private static Optional<String> elsewhere(OperationException e) {
        return e.status() == OperationException.Fault.ELSEWHERE.status()
                ? Optional.of(e.problem().remedy()).filter(EnrolmentCode::isAddress)
                : Optional.empty();
    }

    /// What the gateway at this address answers; it has to show a certificate of one of these
    /// authorities.
    byte[] ask(String address, List<String> authorities, String path, String text)
            throws OperationException {
        int colon = address.lastIndexOf(':');
        int port = Integer.parseInt(address.substring(colon + 1));
        try {
            Reach reach =
                    new Reach(
                            true,
                            Optional.of(dial(address.substring(0, colon), port)),
                            Optional.of(String.join("", authorities)));
            PostUrl url = new PostUrl(FleetNames.GATEWAY, port, true, path, reach);
            UrlPost.Answer answer = post(url, text);
            byte[] json = answer.json().orElse(new byte[0]);
            if (answer.status() == 200) {
                return json;
            }
            Api.Problem problem = read(json, Api.Problem.class);
            throw new OperationException(
                    fault(answer.status()),
                    "The gateway says: " + problem.message(),
                    problem.remedy());
        } catch (IOException e) {
            throw new OperationException(
                    OperationException.Fault.UNAVAILABLE,
                    "The gateway at " + address + " does not answer (" + e.getMessage() + ").",
                    "Check that it runs, that this machine can reach it, and that it still knows this machine: sallyport gateway (there)",
                    e);
        }
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

    private static OperationException.Fault fault(int status) {
        for (OperationException.Fault fault : OperationException.Fault.values()) {
            if (fault.status() == status) {
                return fault;
            }
        }
        return OperationException.Fault.FAILED;
    }

    private static String dial(String host, int port) throws UnknownHostException {
        String address = InetAddress.getByName(host).getHostAddress();
        return (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
    }

    static <T> T read(byte[] json, Class<T> type) throws OperationException {
        try {
            return ApiJson.requests().readValue(json, type);
        } catch (JsonProcessingException e) {
            throw OperationException.failed(
                    new IOException("the gateway's answer is not readable", e));
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }
}
