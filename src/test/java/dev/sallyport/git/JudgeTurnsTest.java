package dev.sallyport.git;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.push.SecretFinding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// P10: whose push is judged when several sandboxes push.
final class JudgeTurnsTest {
    @TempDir Path dir;

    /// Two neighbours push what takes forever to judge.
    @Test
    void p10ABystandersPushIsJudgedWhileTheNeighboursPushesHoldTheJudge() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            CountDownLatch held = new CountDownLatch(2);
            CountDownLatch released = new CountDownLatch(1);
            rig.door.finder = content -> hold(content, held, released);
            rig.commit("x", "endless");
            List<Thread> pushing = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                String url = rig.door.urlOfAnother("acme/app");
                String ref = "HEAD:agent/hostile" + i;
                pushing.add(
                        Thread.ofVirtual().start(() -> Git.run(rig.work, "push", url, ref).ok()));
            }
            assertThat(held.await(120, TimeUnit.SECONDS)).isTrue();

            Git.ok(rig.work, "checkout", "-q", "-b", "bystander", "HEAD~1");
            rig.commit("y", "small");
            rig.push("HEAD:agent/bystander").ok();
            assertThat(rig.upstream("refs/heads/agent/bystander")).isNotEmpty();
            assertThat(rig.upstream("refs/heads/agent/hostile*")).isEmpty();

            released.countDown();
            for (Thread push : pushing) {
                push.join();
            }
            assertThat(rig.upstreamRefs())
                    .contains("refs/heads/agent/hostile0", "refs/heads/agent/hostile1");
        }
    }

    /// Their packs are large, and so are their slices.
    @Test
    void p10ABystandersSmallPushHasAPlaceThatLargeOnesCannotTake() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir);
                DoorRig door = rig.doorWithoutTurns()) {
            AtomicInteger held = new AtomicInteger();
            CountDownLatch released = new CountDownLatch(1);
            door.finder = content -> stand(content, held, released);
            byte[] noise = new byte[2 * Limits.standard().push().smallPackBytesMax()];
            new Random(1).nextBytes(noise);
            Files.write(rig.work.resolve("noise"), noise);
            rig.commit("x", "endless");
            List<Thread> pushing = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                String url = door.urlOfAnother("acme/app");
                String ref = "HEAD:agent/hostile" + i;
                pushing.add(
                        Thread.ofVirtual().start(() -> Git.run(rig.work, "push", url, ref).ok()));
            }
            Await.until(() -> held.get() + waitingForAPlace() == 2);

            Git.ok(rig.work, "checkout", "-q", "-b", "bystander", "HEAD~1");
            rig.commit("y", "small");
            Git.ok(rig.work, "push", door.url("acme/app"), "HEAD:agent/bystander");
            assertThat(rig.upstream("refs/heads/agent/bystander")).isNotEmpty();
            assertThat(held).hasValue(1);

            released.countDown();
            for (Thread push : pushing) {
                push.join();
            }
            assertThat(rig.upstreamRefs())
                    .contains("refs/heads/agent/hostile0", "refs/heads/agent/hostile1");
        }
    }

    /// git hears of it in its own output, in one line that is written over.
    @Test
    void whoWaitsForAJudgementIsTold() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            rig.door.finder = content -> hold(content, held, released);
            rig.commit("x", "endless");
            Path screen = dir.resolve("screen");
            String url = rig.door.url("acme/app");
            Thread push =
                    Thread.ofVirtual()
                            .start(
                                    () ->
                                            Command.of(
                                                            "sh",
                                                            "-c",
                                                            "exec git push --progress \"$1\" HEAD:agent/x 2>\"$2\"",
                                                            "sh",
                                                            url,
                                                            screen.toString())
                                                    .in(rig.work)
                                                    .run()
                                                    .ok());
            String told = "remote: Sallyport: judging the push (";
            Await.until(() -> Files.exists(screen) && Files.readString(screen).contains(told));
            released.countDown();
            push.join();
            assertThat(Files.readString(screen))
                    .containsPattern("judging the push \\([0-9]+ s\\)[^\n]*\r")
                    .containsPattern("judging the push \\([0-9]+ s\\), done[^\n]*\n");
            assertThat(rig.upstream("refs/heads/agent/x")).isNotEmpty();
        }
    }

    private static long waitingForAPlace() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(JudgePlacesTest::isWaiting)
                .count();
    }

    private static List<SecretFinding> stand(
            InputStream content, AtomicInteger held, CountDownLatch released) throws IOException {
        if (new String(content.readAllBytes(), UTF_8).contains("endless")) {
            held.incrementAndGet();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return List.of();
    }

    private static List<SecretFinding> hold(
            InputStream content, CountDownLatch held, CountDownLatch released) throws IOException {
        if (new String(content.readAllBytes(), UTF_8).contains("endless")) {
            held.countDown();
            while (released.getCount() > 0) {
                // Asks for the time, as all that judges does.
                content.read();
            }
        }
        return List.of();
    }

    @Test
    void pushesOfManySandboxesAtOnceAllArrive() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("x", "x");
            List<Thread> pushing = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int number = i;
                pushing.add(Thread.ofVirtual().start(() -> rig.push("HEAD:agent/n" + number).ok()));
            }
            for (Thread thread : pushing) {
                thread.join();
            }
            assertThat(rig.upstreamRefs()).filteredOn(ref -> ref.contains("agent/n")).hasSize(6);
            assertThat(rig.leavesNothing()).isTrue();
        }
    }
}
