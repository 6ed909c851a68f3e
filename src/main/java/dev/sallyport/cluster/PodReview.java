package dev.sallyport.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.config.DialAddress;
import dev.sallyport.config.KubernetesPlace;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.credential.Secret;
import dev.sallyport.fleet.FleetRefusal;
import dev.sallyport.fleet.Pod;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.fleet.RefusedException;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SessionId;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Protocol;
import dev.sallyport.upstream.Resolver;
import dev.sallyport.upstream.WebOrder;
import dev.sallyport.upstream.WholeAnswer;
import dev.sallyport.upstream.WholeAnswer.Outcome;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Shows the token of a pod to the API of its cluster (`TokenReview`), and says which pod it is.
/// Whatever is not exactly as the API describes it means no. Blocks until there is an answer.
public final class PodReview {
    private static final System.Logger LOG = System.getLogger(PodReview.class.getName());
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
    private static final int AT_ONCE_MAX = 16;
    private static final String PATH = "/apis/authentication.k8s.io/v1/tokenreviews";
    private static final SessionId NOBODY = new SessionId("0".repeat(16));

    private final KubernetesPlace cluster;
    private final Limits.Upstream limits;
    private final EventLoop loop;
    private final Duration answerMax;
    private final Semaphore places = new Semaphore(AT_ONCE_MAX);
    private final Lookup names;
    private @Nullable Client client;
    private @Nullable CompletableFuture<InetAddress> lookup;

    /// Of the system, which may take its time.
    interface Lookup {
        InetAddress of(String name) throws IOException;
    }

    /// @param loop where connections are served
    public PodReview(KubernetesPlace cluster, Limits.Upstream limits, EventLoop loop) {
        this(cluster, limits, loop, ANSWER_MAX);
    }

    /// @param answerMax how long the API may take, and its name until it is an address
    public PodReview(
            KubernetesPlace cluster, Limits.Upstream limits, EventLoop loop, Duration answerMax) {
        this(cluster, limits, loop, answerMax, InetAddress::getByName);
    }

    PodReview(
            KubernetesPlace cluster,
            Limits.Upstream limits,
            EventLoop loop,
            Duration answerMax,
            Lookup names) {
        this.cluster = cluster;
        this.limits = limits;
        this.loop = loop;
        this.answerMax = answerMax;
        this.names = names;
    }

    /// The pod that the token of this line was made for.
    ///
    /// @throws RefusedException when it may not come, or nobody vouches for it
    public Pod pod(PodEnrolment line) throws RefusedException {
        byte[] question = Review.question(line.token(), cluster.audience());
        if (!places.tryAcquire()) {
            throw new RefusedException(FleetRefusal.NO_REVIEW);
        }
        try {
            Pod pod = Review.read(ask(question), cluster.audience());
            if (!cluster.accounts().contains(pod.accountName())) {
                LOG.log(Level.WARNING, "a pod of another service account: {0}", pod.accountName());
                throw new RefusedException(FleetRefusal.OTHER_ACCOUNT);
            }
            return pod;
        } catch (IOException | IllegalArgumentException e) {
            LOG.log(
                    Level.ERROR,
                    "the API of the cluster cannot be asked about a pod: {0}",
                    e.getMessage());
            throw new RefusedException(FleetRefusal.NO_REVIEW);
        } finally {
            places.release();
        }
    }

    /// Not before there is a pod: most wardens never need one.
    private synchronized Client client() {
        Client present = client;
        if (present == null) {
            Resolver names = Resolver.of(Optional.empty());
            present = new Client(limits, List.of(), Client.Ways.of(limits, names, names));
            client = present;
        }
        return present;
    }

    /// The answer of the API, which has said that there is one.
    private byte[] ask(byte[] question) throws IOException {
        long until = System.nanoTime() + answerMax.toNanos();
        EgressPermit permit = permit();
        byte[] own = cluster.token();
        CredentialBook book =
                new CredentialBook(
                        List.of(),
                        List.of(
                                new InjectedCredential(
                                        Policy.REVIEWING.secret(), permit.host(), Secret.of(own))));
        Arrays.fill(own, (byte) 0);
        Client way = client();
        try {
            return json(
                    WholeAnswer.of(
                                    way,
                                    loop,
                                    order(permit, question.length),
                                    book,
                                    question,
                                    Review.BYTES_MAX)
                            .completeOnTimeout(
                                    new Outcome.Unanswered("too-slow"),
                                    until - System.nanoTime(),
                                    TimeUnit.NANOSECONDS)
                            .join());
        } finally {
            way.end(book);
            book.wipe();
        }
    }

    /// Names in a cluster are completed from a list (`kubernetes.default.svc`), which only the
    /// system's own resolver knows.
    private EgressPermit permit() throws IOException {
        String dial =
                cluster.dial().isPresent()
                        ? cluster.dial().get()
                        : DialAddress.of(address(), cluster.port());
        Reach reach = new Reach(true, Optional.of(dial), Optional.of(cluster.caPem()));
        return new Policy(NOBODY, List.of(), Egress.NONE)
                .decideReview(cluster.api(), cluster.port(), reach);
    }

    private InetAddress address() throws IOException {
        try {
            return lookup().get(answerMax.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the resolver is too slow", e);
        } catch (ExecutionException e) {
            throw new IOException("no address: " + cluster.api().value(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /// One for all who wait: a resolver that does not answer holds one thread, and none of those
    /// that virtual threads run on.
    private synchronized CompletableFuture<InetAddress> lookup() {
        CompletableFuture<InetAddress> present = lookup;
        if (present == null || present.isDone()) {
            CompletableFuture<InetAddress> next = new CompletableFuture<>();
            Thread.ofPlatform()
                    .daemon()
                    .name("address of the cluster")
                    .start(
                            () -> {
                                try {
                                    next.complete(names.of(cluster.api().value()));
                                } catch (IOException | RuntimeException e) {
                                    next.completeExceptionally(e);
                                }
                            });
            lookup = next;
            return next;
        }
        return present;
    }

    private static WebOrder order(EgressPermit permit, int length) {
        return new WebOrder(
                permit,
                true,
                "POST",
                PATH,
                Map.of(
                        "accept", "application/json",
                        "accept-encoding", "identity",
                        "content-type", "application/json",
                        "user-agent", "sallyport"),
                new BodyFraming.Sized(length),
                Protocol.HTTP_1_1);
    }

    private static byte[] json(Outcome outcome) throws IOException {
        return switch (outcome) {
            case Outcome.Unanswered(String why) -> throw new IOException(why);
            case Outcome.Answered(int status, Optional<byte[]> json) -> {
                if (status != Review.CREATED) {
                    throw new IOException("status-" + status);
                }
                yield json.orElseThrow(() -> new IOException("not-json"));
            }
        };
    }

    /// A `TokenReview` (authentication.k8s.io/v1), as it is asked and answered.
    static final class Review {
        static final int BYTES_MAX = 128 * 1_024;

        /// What the API says to a review, whatever comes of it.
        static final int CREATED = 201;

        private static final String VERSION = "authentication.k8s.io/v1";
        private static final String KIND = "TokenReview";
        private static final String POD_NAME = "authentication.kubernetes.io/pod-name";
        private static final String POD_UID = "authentication.kubernetes.io/pod-uid";
        private static final Pattern ACCOUNT =
                Pattern.compile("system:serviceaccount:([^:]{1,63}):([^:]{1,253})");

        private static final JsonMapper JSON =
                JsonMapper.builder()
                        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                        .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                        .build();

        /// @param audience that the token has to be for
        static byte[] question(String token, String audience) {
            ObjectNode review =
                    JSON.createObjectNode().put("apiVersion", VERSION).put("kind", KIND);
            review.putObject("spec").put("token", token).putArray("audiences").add(audience);
            try {
                return JSON.writeValueAsBytes(review);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException(e);
            }
        }

        /// The pod that the API vouches for.
        ///
        /// @throws IOException when this is no answer to the question
        static Pod read(byte[] answer, String audience) throws IOException, RefusedException {
            JsonNode review = parse(answer);
            JsonNode status = review.path("status");
            if (!review.path("kind").asText().equals(KIND)
                    || !review.path("apiVersion").asText().equals(VERSION)
                    || !status.isObject()) {
                throw new IOException("not-a-review");
            }
            boolean vouched =
                    status.path("authenticated").isBoolean()
                            && status.path("authenticated").booleanValue()
                            && status.path("error").asText().isEmpty()
                            && texts(status.path("audiences")).contains(audience);
            if (!vouched) {
                throw new RefusedException(FleetRefusal.BAD_TOKEN);
            }
            return pod(status.path("user"));
        }

        private static JsonNode parse(byte[] answer) throws IOException {
            try {
                return JSON.readTree(answer);
            } catch (JsonProcessingException _) {
                // The answer may have the token in it.
                throw new IOException("malformed");
            }
        }

        private static Pod pod(JsonNode user) throws RefusedException {
            Matcher account = ACCOUNT.matcher(user.path("username").asText());
            if (!account.matches()) {
                throw new RefusedException(FleetRefusal.OTHER_ACCOUNT);
            }
            List<String> name = texts(user.path("extra").path(POD_NAME));
            List<String> uid = texts(user.path("extra").path(POD_UID));
            if (name.size() != 1 || uid.size() != 1) {
                throw new RefusedException(FleetRefusal.NO_POD);
            }
            try {
                return new Pod(account.group(1), account.group(2), name.getFirst(), uid.getFirst());
            } catch (IllegalArgumentException _) {
                throw new RefusedException(FleetRefusal.NO_POD);
            }
        }

        private static List<String> texts(JsonNode list) {
            List<String> texts = new ArrayList<>();
            if (list.isArray()) {
                list.forEach(one -> texts.add(one.isTextual() ? one.textValue() : ""));
            }
            return texts;
        }
    }
}
