package dev.sallyport.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.config.KubernetesPlace;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.FakeCluster;
import dev.sallyport.fixture.FakeCluster.Claims;
import dev.sallyport.fixture.FakeCluster.Said;
import dev.sallyport.fleet.FleetRefusal;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.Pod;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.fleet.RefusedException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Who vouches for a pod: the API of its cluster, for this audience and for accounts of the list,
/// and nobody else.
final class PodReviewTest {
    private static final Claims GOOD =
            Claims.of("agents/agent", "fix-1", "0a8d3f6e-1111-4222-8333-944455556666");
    private static final String AUDIENCE = "a".repeat(64);

    private @TempDir Path directory;
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private FakeCluster cluster;
    private PodReview review;

    @BeforeEach
    void start() throws IOException {
        cluster = new FakeCluster();
        review = review(cluster.policy(directory), Duration.ofMinutes(1));
    }

    @AfterEach
    void stop() {
        cluster.close();
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private PodReview review(String yaml, Duration answerMax) throws IOException {
        Path file = Files.writeString(directory.resolve("policy.yaml"), yaml);
        KubernetesPlace place = PolicyFile.load(file).kubernetes().orElseThrow();
        return new PodReview(place, Limits.standard().upstream(), loops.next(), answerMax);
    }

    private static PodEnrolment line(String token) throws RefusedException {
        return PodEnrolment.parse(PodEnrolment.request(AUDIENCE, HostKey.inMemory(), token));
    }

    private void refused(PodReview by, Claims claims, FleetRefusal reason) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> by.pod(line(claims.token())))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }

    private void accepted() throws RefusedException {
        assertThat(review.pod(line(GOOD.token())))
                .isEqualTo(
                        new Pod(
                                "agents",
                                "agent",
                                "fix-1",
                                "0a8d3f6e-1111-4222-8333-944455556666"));
    }

    @Test
    void saysWhichPodItIsAndShowsTheTokenToTheClusterOnly() throws Exception {
        accepted();
        assertThat(cluster.questions).hasSize(1);
        assertThat(cluster.questions.getFirst().at("/spec/audiences/0").asText())
                .isEqualTo("sallyport");
        assertThat(cluster.questions.getFirst().at("/spec/token").asText()).isEqualTo(GOOD.token());
        assertThat(line(GOOD.token()).toString()).doesNotContain(GOOD.token());
    }

    @Test
    void i1_aTokenThatTheClusterDoesNotVouchForIsRefused() throws Exception {
        String token = GOOD.token();
        String forged = token.substring(0, token.lastIndexOf('.') + 1) + "A".repeat(43);
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> review.pod(line(forged)))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(FleetRefusal.BAD_TOKEN));
        refused(review, GOOD.expired(), FleetRefusal.BAD_TOKEN);
        refused(review, GOOD.forAudience("https://kubernetes.default.svc"), FleetRefusal.BAD_TOKEN);
        accepted();
    }

    @Test
    void i1_anotherAccountAndATokenWithoutAPodAreRefused() throws Exception {
        refused(
                review,
                Claims.of("agents/builder", "fix-1", "0a8d3f6e-1111-4222-8333-944455556666"),
                FleetRefusal.OTHER_ACCOUNT);
        refused(
                review,
                Claims.of("other/agent", "fix-1", "0a8d3f6e-1111-4222-8333-944455556666"),
                FleetRefusal.OTHER_ACCOUNT);
        refused(review, GOOD.unbound(), FleetRefusal.NO_POD);
        accepted();
    }

    /// The API says yes to the token in each of them.
    @Test
    void i1_anAnswerThatDoesNotSayAllOfItIsRefused() throws Exception {
        changed(FleetRefusal.BAD_TOKEN, a -> status(a).remove("audiences"));
        changed(FleetRefusal.BAD_TOKEN, a -> status(a).putArray("audiences").add("other"));
        changed(FleetRefusal.BAD_TOKEN, a -> status(a).put("audiences", "sallyport"));
        changed(FleetRefusal.BAD_TOKEN, a -> status(a).put("authenticated", "true"));
        changed(FleetRefusal.BAD_TOKEN, a -> status(a).put("authenticated", false));
        changed(FleetRefusal.BAD_TOKEN, a -> status(a).remove("authenticated"));
        changed(FleetRefusal.BAD_TOKEN, a -> status(a).put("error", "something"));
        changed(FleetRefusal.OTHER_ACCOUNT, a -> user(a).put("username", "agents:agent"));
        changed(
                FleetRefusal.OTHER_ACCOUNT,
                a -> user(a).put("username", "x:system:serviceaccount:agents:agent"));
        changed(FleetRefusal.NO_POD, a -> user(a).remove("extra"));
        String uid = "authentication.kubernetes.io/pod-uid";
        changed(FleetRefusal.NO_POD, a -> extra(a).putArray(uid));
        changed(FleetRefusal.NO_POD, a -> extra(a).putArray(uid).add("a-uid-000").add("b-uid-000"));
        changed(FleetRefusal.NO_POD, a -> extra(a).putArray(uid).add("../../etc/passwd"));
        changed(FleetRefusal.NO_REVIEW, a -> a.remove("status"));
        changed(FleetRefusal.NO_REVIEW, a -> a.put("kind", "Status"));
        changed(FleetRefusal.NO_REVIEW, a -> a.put("apiVersion", "authentication.k8s.io/v1beta1"));
        changed(FleetRefusal.NO_REVIEW, a -> a.put("padding", "x".repeat(200_000)));
        accepted();
    }

    private static ObjectNode status(ObjectNode answer) {
        return (ObjectNode) answer.path("status");
    }

    private static ObjectNode user(ObjectNode answer) {
        return (ObjectNode) status(answer).path("user");
    }

    private static ObjectNode extra(ObjectNode answer) {
        return (ObjectNode) user(answer).path("extra");
    }

    private void changed(FleetRefusal reason, Consumer<ObjectNode> change) {
        said(
                reason,
                answer -> {
                    change.accept(answer);
                    return new Said(201, "application/json", answer.toString());
                });
    }

    private void said(FleetRefusal reason, Function<ObjectNode, Said> instead) {
        cluster.instead = answer -> Optional.of(instead.apply(answer));
        refused(review, GOOD, reason);
        cluster.instead = _ -> Optional.empty();
    }

    @Test
    void i1_anErrorOfTheApiIsRefused() throws Exception {
        for (int status : new int[] {200, 202, 302, 400, 403, 500, 503}) {
            said(
                    FleetRefusal.NO_REVIEW,
                    answer -> new Said(status, "application/json", answer.toString()));
        }
        said(FleetRefusal.NO_REVIEW, answer -> new Said(201, "text/plain", answer.toString()));
        said(FleetRefusal.NO_REVIEW, answer -> new Said(201, "application/json", "{"));
        said(
                FleetRefusal.NO_REVIEW,
                answer -> new Said(201, "application/json", answer + answer.toString()));
        said(
                FleetRefusal.NO_REVIEW,
                answer ->
                        new Said(
                                201,
                                "application/json",
                                answer.toString()
                                        .replaceFirst(
                                                "\"authenticated\":true",
                                                "\"authenticated\":false,\"authenticated\":true")));
        accepted();
    }

    @Test
    void i1_anApiThatIsSlowOrAwayIsRefused() throws Exception {
        accepted();
        CountDownLatch over = new CountDownLatch(1);
        cluster.instead =
                _ -> {
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return Optional.empty();
                };
        refused(
                review(cluster.policy(directory), Duration.ofMillis(200)),
                GOOD,
                FleetRefusal.NO_REVIEW);
        over.countDown();
        cluster.instead = _ -> Optional.empty();
        accepted();
        cluster.close();
        refused(review, GOOD, FleetRefusal.NO_REVIEW);
    }

    /// The name is resolved by the system, which may wait for much longer than the API.
    @Test
    @Timeout(120)
    void i1_aResolverThatDoesNotAnswerIsRefusedAndAskedOnce() throws Exception {
        String yaml = cluster.policy(directory);
        Matcher dial = Pattern.compile("dial: \"127.0.0.1:(\\d+)\"").matcher(yaml);
        Path file =
                Files.writeString(
                        directory.resolve("named.yaml"),
                        dial.replaceFirst("api: https://" + FakeCluster.HOST + ":$1"));
        KubernetesPlace place = PolicyFile.load(file).kubernetes().orElseThrow();
        assertThat(place.dial()).isEmpty();
        Limits.Upstream limits = Limits.standard().upstream();
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger lookups = new AtomicInteger();
        PodReview.Lookup silent =
                _ -> {
                    lookups.incrementAndGet();
                    try {
                        over.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new IOException(e);
                    }
                    return InetAddress.getLoopbackAddress();
                };
        PodReview waits =
                new PodReview(place, limits, loops.next(), Duration.ofMillis(200), silent);
        refused(waits, GOOD, FleetRefusal.NO_REVIEW);
        refused(waits, GOOD, FleetRefusal.NO_REVIEW);
        Await.until(() -> lookups.get() > 0);
        assertThat(lookups).hasValue(1);
        assertThat(cluster.questions).isEmpty();
        over.countDown();

        review = new PodReview(place, limits, loops.next(), Duration.ofMinutes(1), silent);
        accepted();
        assertThat(lookups).hasValue(2);
    }

    /// Another cluster cannot vouch, and an API that does not know this gateway does not.
    @Test
    void i1_anotherApiIsNotAskedAndAnotherGatewayIsNotAnswered() throws Exception {
        String yaml = cluster.policy(directory);
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        try (FakeCluster other = new FakeCluster()) {
            other.policy(elsewhere);
            Files.copy(
                    elsewhere.resolve("cluster-ca.pem"),
                    directory.resolve("cluster-ca.pem"),
                    StandardCopyOption.REPLACE_EXISTING);
            refused(review(yaml, Duration.ofMinutes(1)), GOOD, FleetRefusal.NO_REVIEW);
            assertThat(cluster.questions).as("no token was shown").isEmpty();
        }
        PodReview again = review(cluster.policy(directory), Duration.ofMinutes(1));
        Files.writeString(directory.resolve("reviewer"), "another.token.of-nobody-00042");
        refused(again, GOOD, FleetRefusal.NO_REVIEW);
        Files.delete(directory.resolve("reviewer"));
        refused(again, GOOD, FleetRefusal.NO_REVIEW);
        cluster.policy(directory);
        accepted();
    }
}
