package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.approval.Outcome;
import dev.sallyport.channel.Message;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The link that is sent with a question: what it leads to, and for how long (G6).
final class WebhookLinkTest {
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
    void g6_itsLinkLogsInOnceAndAnswersNothing() throws Exception {
        rig.storeKey();
        rig.hook(WebhookRig.saying("200 OK", ""));
        rig.openPage();
        rig.ask(WebhookRig.FIRST);
        String link = rig.next(1).json().get("link").asText();
        assertThat(link).matches("http://127\\.47\\.11\\.1:[0-9]+/#login=[A-Za-z0-9_-]{43}");

        char last = link.charAt(link.length() - 2) == 'A' ? 'B' : 'A';
        String guessed =
                link.substring(0, link.length() - 2) + last + link.charAt(link.length() - 1);
        assertThat(WebhookRig.login(guessed).statusCode()).isEqualTo(401);
        HttpResponse<String> first = WebhookRig.login(link);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEqualTo("{\"question\":\"" + WebhookRig.FIRST + "\"}");
        HttpResponse<String> again = WebhookRig.login(link);
        assertThat(again.statusCode()).isEqualTo(401);
        assertThat(again.headers().firstValue("set-cookie")).isEmpty();
        assertThat(rig.approvals.isOpen(WebhookRig.FIRST)).isTrue();
        assertThat(rig.told).isEmpty();
    }

    @Test
    void g6_itsLinkEndsWithItsOwnQuestion() throws Exception {
        rig.storeKey();
        rig.hook(WebhookRig.saying("200 OK", ""));
        rig.openPage();
        rig.ask(WebhookRig.FIRST);
        String first = rig.next(1).json().get("link").asText();
        rig.ask(WebhookRig.SECOND);
        String second = rig.next(2).json().get("link").asText();

        rig.answer(WebhookRig.FIRST, "no");
        assertThat(WebhookRig.login(first).statusCode()).isEqualTo(401);
        assertThat(WebhookRig.login(second).body()).contains(WebhookRig.SECOND);

        rig.ask("cccccccccc");
        String third = rig.next(3).json().get("link").asText();
        rig.parts.clock.pass(Duration.ofMinutes(5));
        assertThat(WebhookRig.login(third).statusCode()).isEqualTo(401);
        assertThat(rig.told).extracting(Message.Answered::outcome).containsExactly(Outcome.NO);
    }

    @Test
    void withoutAPageThereIsNoLinkAndNoPageIsOpened() throws Exception {
        rig.storeKey();
        rig.hook(WebhookRig.saying("200 OK", ""));
        rig.ask(WebhookRig.FIRST);

        JsonNode json = rig.next(1).json();
        assertThat(json.has("link")).isFalse();
        assertThat(json.get("command").asText()).isEqualTo("sallyport approve " + WebhookRig.FIRST);
        assertThat(rig.record()).doesNotContain("page.open");
    }
}
