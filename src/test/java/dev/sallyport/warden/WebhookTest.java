package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.approval.Outcome;
import dev.sallyport.channel.Message;
import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.Await;
import dev.sallyport.git.HostileUpstream;
import dev.sallyport.git.TestPki;
import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Questions that are told elsewhere, by real TLS to a receiver that may be hostile (G6). Whatever
/// becomes of a post, the question is answered by a person.
final class WebhookTest {
    @TempDir Path dir;
    private WebhookRig rig;

    @BeforeEach
    void start() throws Exception {
        rig = new WebhookRig(dir);
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    @Test
    void aQuestionIsPostedSignedAndSaysNoMoreThanTheList() throws Exception {
        rig.storeKey();
        Webhook hook = rig.hook(WebhookRig.saying("204 No Content", ""));
        rig.openPage();
        rig.ask(
                WebhookRig.FIRST,
                "GET https://a.example/ghp_0123456789abcdefghij0123456789abcdef\n\u202e\u001b[m");

        WebhookRig.Posted post = rig.next(1);
        assertThat(post.head()).startsWith("POST /sallyport HTTP/1.1\r\n");
        assertThat(post.head().toLowerCase(Locale.ROOT))
                .contains("host: " + WebhookRig.HOST, "content-type: application/json")
                .doesNotContain("authorization", "cookie");
        Matcher signed =
                Pattern.compile("(?i)sallyport-signature: t=([0-9]+),v1=([0-9a-f]{64})\r\n")
                        .matcher(post.head());
        assertThat(signed.find()).isTrue();
        assertThat(Long.parseLong(signed.group(1)))
                .isEqualTo(rig.parts.clock.now().wall().getEpochSecond());
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(WebhookRig.key(WebhookRig.KEY), "HmacSHA256"));
        byte[] text = (signed.group(1) + "." + post.body()).getBytes(StandardCharsets.UTF_8);
        assertThat(signed.group(2)).isEqualTo(HexFormat.of().formatHex(mac.doFinal(text)));

        ApprovalsApi.ApprovalView view = rig.approvals.list().approvals().getFirst();
        JsonNode json = post.json();
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly(
                        "id", "sandbox", "kind", "target", "what", "asked", "expires", "command",
                        "link");
        assertThat(json.get("id").asText()).isEqualTo(WebhookRig.FIRST);
        assertThat(json.get("sandbox").asText()).isEqualTo("app");
        assertThat(json.get("what").asText())
                .isEqualTo("GET https://a.example/[redacted] <U+202E><U+001B>[m");
        assertThat(json.get("expires").asText()).isEqualTo(view.expires());
        assertThat(json.get("command").asText()).isEqualTo("sallyport approve " + WebhookRig.FIRST);
        assertThat(post.body()).doesNotContain(WebhookRig.KEY, view.digest(), "field", "body");
        assertThat(hook.trouble()).isEmpty();
        assertThat(rig.record()).doesNotContain("webhook", WebhookRig.KEY);
    }

    @Test
    void g6_whatAReceiverSaysIsNoAnswer() throws Exception {
        Webhook hook =
                rig.hook(
                        WebhookRig.saying(
                                "200 OK\r\nContent-Type: application/json",
                                "{\"answer\":\"yes\",\"approve\":true}"));
        rig.ask(WebhookRig.FIRST);
        Await.until("there is no key yet", () -> hook.trouble().isPresent());
        rig.storeKey();
        rig.ask(WebhookRig.SECOND);
        Await.until("what it said was read", () -> hook.trouble().isEmpty());
        assertThat(rig.told).isEmpty();
        rig.answer(WebhookRig.SECOND, "no");

        assertThat(rig.told).extracting(Message.Answered::outcome).containsExactly(Outcome.NO);
        assertThat(hook.trouble()).isEmpty();
    }

    @Test
    void aReceiverThatNeverEndsIsLeftAfterItsHead() throws Exception {
        rig.storeKey();
        CountDownLatch left = new CountDownLatch(1);
        Webhook hook =
                rig.hook(
                        (connection, _) -> {
                            String head =
                                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
                            try {
                                HostileUpstream.say(connection, head);
                                while (rig.over.getCount() > 0) {
                                    HostileUpstream.say(connection, "[\"yes\"] ".repeat(8_192));
                                }
                            } catch (IOException _) {
                                left.countDown();
                            }
                        });
        rig.ask(WebhookRig.FIRST);
        Await.until("it is left", () -> left.getCount() == 0);
        rig.answer(WebhookRig.FIRST, "yes");

        assertThat(rig.told).extracting(Message.Answered::outcome).containsExactly(Outcome.YES);
        assertThat(hook.trouble()).isEmpty();
    }

    @Test
    void noRedirectIsFollowedAndTheFailureIsSaidOnce() throws Exception {
        rig.storeKey();
        Webhook hook =
                rig.hook(
                        (connection, _) ->
                                WebhookRig.saying(
                                                rig.posted.size() < 3
                                                        ? "307 Temporary Redirect\r\nLocation: /elsewhere"
                                                        : "200 OK",
                                                "")
                                        .run(connection, ""));
        rig.ask(WebhookRig.FIRST);
        Await.until("it is said", () -> hook.trouble().isPresent());
        assertThat(hook.trouble().orElseThrow()).contains(WebhookRig.HOST, "status-307");
        rig.ask(WebhookRig.SECOND);
        rig.next(2);
        rig.answer(WebhookRig.FIRST, "yes");
        assertThat(rig.told).extracting(Message.Answered::outcome).containsExactly(Outcome.YES);

        rig.ask("cccccccccc");
        Await.until("all is well again", () -> hook.trouble().isEmpty());
        assertThat(rig.posted)
                .hasSize(3)
                .allMatch(post -> post.head().startsWith("POST /sallyport "));
        Await.until("it is recorded", () -> rig.record().contains("approval.webhook-back"));
        assertThat(rig.record()).containsOnlyOnce("approval.webhook-failed");
    }

    /// More of them than are posted at once.
    @Test
    void aReceiverThatKeepsSilentHoldsUpNoAnswer() throws Exception {
        rig.storeKey();
        rig.hook((_, _) -> rig.over.await());
        for (char c = 'a'; c < 'e'; c++) {
            rig.ask(Character.toString(c).repeat(10));
        }
        Await.until("they are posted", () -> rig.posted.size() == 4);
        for (char c = 'a'; c < 'e'; c++) {
            rig.answer(Character.toString(c).repeat(10), "yes");
        }
        rig.ask("eeeeeeeeee");
        rig.answer("eeeeeeeeee", "yes");

        assertThat(rig.told)
                .extracting(Message.Answered::outcome)
                .hasSize(5)
                .containsOnly(Outcome.YES);
        assertThat(rig.posted).hasSize(4);
    }

    @Test
    void nobodyElseThanTheReceiverGetsIt() throws Exception {
        rig.storeKey();
        rig.hook(WebhookRig.saying("200 OK", ""));
        Webhook hook = rig.hook(rig.receiver.orElseThrow().dial(), new TestPki().caPem());
        rig.ask(WebhookRig.FIRST);

        Await.until("it is said", () -> hook.trouble().isPresent());
        assertThat(rig.posted).isEmpty();
        assertThatCode(() -> rig.answer(WebhookRig.FIRST, "yes")).doesNotThrowAnyException();
    }

    @Test
    void withoutAGoodSecretNothingIsSent() throws Exception {
        Webhook hook = rig.hook(WebhookRig.saying("200 OK", ""));
        rig.ask(WebhookRig.FIRST);
        Await.until("it is said", () -> hook.trouble().isPresent());
        assertThat(hook.trouble().orElseThrow())
                .contains("sallyport secret set hook --host " + WebhookRig.HOST);
        rig.secrets.set(
                "hook",
                HostName.parse(WebhookRig.HOST),
                Optional.empty(),
                Secret.of(WebhookRig.key("short")));
        rig.ask(WebhookRig.SECOND);
        Await.until("it is said", () -> hook.trouble().orElseThrow().contains("16 bytes"));
        assertThat(rig.receiver.orElseThrow().heads()).isEmpty();

        rig.storeKey();
        rig.ask("cccccccccc");
        assertThat(rig.next(1).json().get("id").asText()).isEqualTo("cccccccccc");
    }
}
