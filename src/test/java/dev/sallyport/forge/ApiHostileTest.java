package dev.sallyport.forge;

import static dev.sallyport.forge.ApiRig.body;
import static dev.sallyport.forge.ApiRig.json;
import static dev.sallyport.forge.ApiRig.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.egress.RawSocket;
import dev.sallyport.fixture.Await;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiRules;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sandboxes and hosts that do not keep to the rules, limits, and rights that change.
@Timeout(120)
final class ApiHostileTest {
    private static final String LOGS = "/repos/acme/app/actions/jobs/5/logs";
    private static final String STORED = "https://" + ApiRig.STORE + "/logs/5?sig=s1gned";

    private static Limits limits(Limits.Api api) {
        Limits s = Limits.standard();
        return new Limits(
                s.http(),
                s.sharing(),
                s.git(),
                s.push(),
                s.mirror(),
                s.dns(),
                s.upstream(),
                s.egress(),
                api,
                Limits.Approvals.STANDARD);
    }

    private static Limits.Api api(int requestBytesMax, int answerBytesMax, long total) {
        return new Limits.Api(requestBytesMax, answerBytesMax, total, 1_000, 600, 20, 200);
    }

    private static String found(String location) {
        return "HTTP/1.1 302 Found\r\nLocation: " + location + "\r\nContent-Length: 0\r\n\r\n";
    }

    private static String file(String type, String content) {
        return "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(type, content.length(), content);
    }

    @Test
    void refusesABodyThatIsTooLargeHoweverItIsAnnounced() throws Exception {
        try (ApiRig rig =
                new ApiRig(limits(api(4_096, 65_536, 1 << 20)), (_, _) -> json(201, "{}"))) {
            String body = "{\"title\":\"" + "x".repeat(5_000) + "\"}";
            String sized = rig.send("POST", "/repos/acme/app/pulls", body);
            String chunked =
                    rig.ask(
                            ApiRig.head("POST", "/repos/acme/app/pulls")
                                    + "Transfer-Encoding: chunked\r\n\r\n"
                                    + Integer.toHexString(body.length())
                                    + "\r\n"
                                    + body
                                    + "\r\n0\r\n\r\n");

            assertThat(List.of(status(sized), status(chunked))).containsOnly("403");
            assertThat(rig.upstream()).isEmpty();
            assertThat(rig.recorded("api.request")).containsOnly("deny body-too-large").hasSize(2);
            assertThat(rig.doors.heldBytes()).isZero();
        }
    }

    @Test
    void refusesACompressedBody() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(201, "{}"))) {
            String answer =
                    rig.send("POST", "/repos/acme/app/pulls", "{}", "Content-Encoding: gzip");

            assertThat(status(answer)).isEqualTo("403");
            assertThat(rig.upstream()).isEmpty();
        }
    }

    @Test
    void e14CutsAnAnswerThatRepeatsTheCredential() throws Exception {
        try (ApiRig rig =
                new ApiRig((_, _) -> json(200, "[{\"debug\":\"" + ApiRig.TOKEN + "\"}]"))) {
            String answer = rig.get("/repos/acme/app/pulls");

            assertThat(status(answer)).isEqualTo("502");
            assertThat(answer).doesNotContain(ApiRig.TOKEN);
            assertThat(rig.recorded("api.failed")).containsExactly(" upstream-misbehaved");
        }
    }

    @Test
    void e14CutsAFileAndAFieldThatRepeatTheCredential() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        (head, _) ->
                                head.contains("/labels")
                                        ? json(200, "[]", "X-RateLimit-Resource: " + ApiRig.TOKEN)
                                        : file("text/plain", "x".repeat(999) + ApiRig.TOKEN))) {
            String raw =
                    rig.get("/repos/acme/app/contents/a.txt", "Accept: application/vnd.github.raw");
            String field = rig.get("/repos/acme/app/labels");

            assertThat(raw + field).doesNotContain(ApiRig.TOKEN);
            assertThat(status(field)).isEqualTo("502");
            assertThat(rig.recorded("api.failed")).hasSize(2).containsOnly(" upstream-misbehaved");
        }
    }

    @Test
    void refusesAnswersThatAreNotWhatWasAskedFor() throws Exception {
        for (String answer :
                List.of(
                        file("text/html", "<html>"),
                        json(200, "{\"a\":"),
                        json(200, "x"),
                        json(200, "[]", "Content-Encoding: gzip"),
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n[",
                        "garbage\r\n\r\n")) {
            try (ApiRig rig =
                    new ApiRig(
                            Limits.standard(),
                            peer -> {
                                peer.head();
                                peer.say(answer);
                            })) {
                String got = rig.get("/repos/acme/app/pulls");
                assertThat(status(got)).as(answer).isEqualTo("502");
                assertThat(body(got)).contains("Sallyport").doesNotContain("html");
                assertThat(rig.doors.heldBytes()).isZero();
            }
        }
    }

    @Test
    void refusesAHugeAnswerAndGivesItsRoomBack() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        limits(api(4_096, 65_536, 1 << 20)),
                        (_, _) -> json(200, "[\"" + "x".repeat(70_000) + "\"]"))) {
            assertThat(status(rig.get("/repos/acme/app/pulls"))).isEqualTo("502");
            assertThat(rig.doors.heldBytes()).isZero();
        }
    }

    @Test
    void refusesWhenTheRoomForAnswersIsFull() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        limits(api(4_096, 1 << 20, 1 << 20)),
                        (_, _) -> json(200, "[\"" + "x".repeat(700_000) + "\"]"))) {
            assertThat(status(rig.get("/repos/acme/app/pulls")))
                    .as("a sandbox has half of it")
                    .isEqualTo("503");
            assertThat(rig.doors.heldBytes()).isZero();
        }
    }

    @Test
    void g19FollowsTheRedirectOfALogToAListedHostWithoutTheCredential() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        (head, _) ->
                                head.contains("/actions/jobs/5/logs")
                                        ? found(STORED)
                                        : file("text/plain", "line 1"))) {
            String answer = rig.get(LOGS);

            assertThat(status(answer)).isEqualTo("200");
            assertThat(body(answer)).isEqualTo("line 1");
            assertThat(answer).doesNotContain("s1gned");
            assertThat(rig.upstream()).last().isEqualTo("GET /logs/5?sig=s1gned HTTP/1.1");
            assertThat(rig.host.heads().getLast())
                    .containsIgnoringCase("host: " + ApiRig.STORE)
                    .doesNotContainIgnoringCase("authorization")
                    .doesNotContain(ApiRig.TOKEN);
            assertThat(rig.detail("api.download"))
                    .containsEntry("host", ApiRig.STORE)
                    .doesNotContainValue(STORED);
            assertThat(rig.events.toString()).doesNotContain("s1gned");
        }
    }

    @Test
    void g19FollowsARedirectToNoOtherHostAndInNoOtherForm() throws Exception {
        for (String place :
                List.of(
                        "https://evil.example/x",
                        "https://productionresultssa7.blob.core.windows.net.evil.example/x",
                        "https://evil.blob.core.windows.net/x",
                        "http://" + ApiRig.STORE + "/x",
                        "https://" + ApiRig.STORE + ":8443/x",
                        "https://user@" + ApiRig.STORE + "/x",
                        "https://" + ApiRig.STORE + "\\@evil.example/x",
                        "https://api.github.com/user",
                        "https://github.com/acme/app/x",
                        "//" + ApiRig.STORE + "/x",
                        "https://127.0.0.1/x")) {
            try (ApiRig rig = new ApiRig((_, _) -> found(place))) {
                String answer = rig.get(LOGS);

                assertThat(status(answer)).as(place).isEqualTo("502");
                assertThat(answer).doesNotContain("evil");
                assertThat(rig.upstream()).as(place).hasSize(1);
                assertThat(rig.recorded("api.download")).isEmpty();
            }
        }
    }

    @Test
    void g19FollowsOneRedirectOnly() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> found(STORED))) {
            assertThat(status(rig.get(LOGS))).isEqualTo("502");
            assertThat(rig.upstream()).hasSize(2);
        }
    }

    @Test
    void cutsADownloadThatIsTooLarge() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        limits(api(4_096, 65_536, 1 << 20)),
                        (head, _) ->
                                head.contains("/jobs/")
                                        ? found(STORED)
                                        : file("text/plain", "x".repeat(2_000)))) {
            String answer = rig.get(LOGS);

            assertThat(body(answer)).hasSizeLessThan(2_000);
            assertThat(rig.recorded("api.failed")).containsExactly(" budget-spent");
        }
    }

    @Test
    void sendsAClientThatInsistsOnARedirectToTheDoorOnceMore() throws Exception {
        try (ApiRig rig =
                new ApiRig(
                        (head, _) ->
                                head.contains("/actions/jobs/5/logs")
                                        ? found(STORED)
                                        : file("text/plain", "line 1"))) {
            String answer = rig.get(LOGS, "User-Agent: go-github/v90");
            String place = "/sallyport/followed" + LOGS;

            assertThat(status(answer)).isEqualTo("302");
            assertThat(answer).contains("location: https://api.github.com" + place + "\r\n");
            assertThat(rig.upstream()).isEmpty();
            assertThat(body(rig.get(place, "User-Agent: go-github/v90"))).isEqualTo("line 1");
            assertThat(status(rig.get("/sallyport/followed/repos/acme/other/actions/jobs/5/logs")))
                    .isEqualTo("404");
        }
    }

    @Test
    void e6RightsThatAreWithdrawnHoldForAnAnswerThatIsOnItsWay() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch withdrawn = new CountDownLatch(1);
        try (ApiRig rig =
                new ApiRig(
                        (_, _) -> {
                            asked.countDown();
                            await(withdrawn);
                            return json(200, "[{\"body\":\"private\"}]");
                        })) {
            CompletableFuture<String> answer =
                    CompletableFuture.supplyAsync(() -> get(rig, "/repos/acme/app/pulls"));
            await(asked);
            rig.changeRights(ApiRig.grant("github.com/acme/other", ApiRules.standard(Access.READ)));
            withdrawn.countDown();

            String got = answer.get(60, TimeUnit.SECONDS);
            assertThat(status(got)).isEqualTo("403");
            assertThat(got).doesNotContain("private");
            assertThat(rig.recorded("api.failed")).containsExactly(" rights-changed");
        }
    }

    @Test
    void e6RightsThatAreWithdrawnBeforeTheRecordIsMadeSendNothing() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(200, "[]"))) {
            rig.record = new CompletableFuture<>();
            CompletableFuture<String> answer =
                    CompletableFuture.supplyAsync(() -> get(rig, "/repos/acme/app/pulls"));
            Await.until("the decision is to be recorded", () -> !rig.events.isEmpty());
            rig.changeRights();
            rig.record.complete(null);

            assertThat(status(answer.get(60, TimeUnit.SECONDS))).isEqualTo("403");
            assertThat(rig.upstream()).isEmpty();
        }
    }

    @Test
    void forgetsWhatItKnewWhenRightsChange() throws Exception {
        try (ApiRig rig = new ApiRig((_, _) -> json(200, ApiDoorTest.REPO))) {
            assertThat(status(rig.get("/repositories/42/pulls"))).isEqualTo("200");
            rig.changeRights(ApiRig.grant("github.com/acme/other", ApiRules.standard(Access.READ)));

            assertThat(status(rig.get("/repositories/42/pulls"))).isEqualTo("404");
        }
    }

    @Test
    void limitsHowMuchASandboxWrites() throws Exception {
        Limits.Api few = new Limits.Api(4_096, 65_536, 1 << 20, 1_000, 600, 2, 200);
        String pull = "{\"title\":\"Fix\",\"head\":\"agent/fix\",\"base\":\"main\"}";
        try (ApiRig rig = new ApiRig(limits(few), (_, _) -> json(201, "{\"id\":1}"))) {
            String last = "";
            for (int i = 0; i < 3; i++) {
                last = rig.send("POST", "/repos/acme/app/pulls", pull);
            }
            assertThat(status(last)).isEqualTo("429");
            assertThat(body(last)).contains("changes too much in a short time");
            assertThat(rig.upstream()).hasSize(2);
            assertThat(status(rig.get("/repos/acme/app/labels"))).as("reading").isEqualTo("201");
        }
    }

    @Test
    void aSandboxThatGoesAwayLeavesNothingBehind() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        try (ApiRig rig =
                new ApiRig(
                        (_, _) -> {
                            asked.countDown();
                            await(gone);
                            return json(200, "[]");
                        })) {
            try (RawSocket socket = rig.connected()) {
                socket.send(ApiRig.head("GET", "/repos/acme/app/pulls") + "\r\n");
                await(asked);
            }
            Await.until("the failure", () -> !rig.recorded("api.failed").isEmpty());
            gone.countDown();
            assertThat(rig.doors.heldBytes()).isZero();
        }
    }

    private static String get(ApiRig rig, String target) {
        try {
            return rig.get(target);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
