package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Browser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Approvals in the page, in Debian's Chromium: what a person says yes or no to.
class UiApprovalIT {
    private static final List<String> POSTED = new CopyOnWriteArrayList<>();
    private static UiRig rig;
    private static HttpServer receiver;

    @BeforeAll
    static void startEverything() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", UiApprovalIT::take);
        receiver.start();
        String webhook =
                "approvals: {webhook: {url: \"http://127.0.0.1:%d/hook\", secret: hook}}\n"
                        .formatted(receiver.getAddress().getPort());
        rig = new UiRig(UiRig.ASKING + webhook);
        // Who is told is read when the daemon starts.
        rig.sallyport.sallyport("down", "--keep-sandboxes").run().ok();
        rig.sallyport.sallyport("up").run().ok();
    }

    private static void take(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        POSTED.add(new String(body, StandardCharsets.UTF_8));
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }

    @AfterAll
    static void stopEverything() {
        rig.close();
        receiver.stop(0);
    }

    @AfterEach
    void closeBrowsers() {
        rig.closeBrowsers();
    }

    @Test
    void g6APushWaitsForAPersonWhoSeesItAndSaysYesOrNo() {
        Browser ann = rig.person();
        Browser bob = rig.person();
        Process wanted = rig.startPush("refs/heads/agent/ask/yes", "a subject to look at");
        ann.awaitText("#approvals-list", "a subject to look at");
        bob.awaitText("#approvals-list", "a subject to look at");
        assertThat(ann.text("#approvals-list"))
                .contains("refs/heads/agent/ask/yes", "diff --git", "file", UiRig.BOX);
        assertThat(rig.upstreamHas("agent/ask/yes")).isFalse();
        ann.click("#approvals-list button.yes");
        ann.click("#approvals-list button.yes");
        ann.awaitText("#approvals-said", "Approved");
        assertThat(UiRig.end(wanted)).isZero();
        assertThat(rig.upstreamHas("agent/ask/yes")).isTrue();
        bob.awaitText("#approvals-empty", "Nothing waits for you");
        ann.awaitText("#pushes-list", "agent/ask/yes");
        Await.until(
                "the history has the diff",
                () ->
                        ann.value("document.querySelector('#pushes-list .diff') !== null")
                                .asBoolean());
        assertThat(rig.record()).contains("approval.answer", "how=page");

        Process unwanted = rig.startPush("refs/heads/agent/ask/no", "another one");
        bob.awaitText("#approvals-list", "another one");
        bob.click("#approvals-list button.no:enabled");
        bob.awaitText("#approvals-said", "Denied");
        assertThat(UiRig.end(unwanted)).isNotZero();
        assertThat(rig.upstreamHas("agent/ask/no")).isFalse();
    }

    @Test
    void g6NoOtherQuestionComesUnderTheMouseWhenOneEnds() {
        Browser ann = rig.person();
        Browser bob = rig.person();
        Process first = rig.startPush("refs/heads/agent/ask/first", "the first one");
        bob.awaitText("#approvals-list", "the first one");
        ann.awaitText("#approvals-list", "the first one");
        Process second = rig.startPush("refs/heads/agent/ask/second", "the second one");
        ann.awaitText("#approvals-list", "agent/ask/second");
        String place = "document.querySelector('#approvals-list > li:last-child').offsetTop";
        int before = ann.value(place).asInt();

        bob.click("#approvals-list button.no");
        assertThat(UiRig.end(first)).isNotZero();
        String ended = "#approvals-list > li:first-child";
        ann.awaitText(ended, "This request no longer waits for an answer.");
        assertThat(ann.value(place).asInt()).isEqualTo(before);
        ann.click(ended + " button.yes");
        ann.click(ended + " button.yes");
        String open = "#approvals-list > li:last-child button.yes";
        ann.click(open);
        assertThat(ann.text(open)).isEqualTo("Really approve?");
        assertThat(rig.upstreamHas("agent/ask/second")).isFalse();

        ann.click(open);
        ann.awaitText("#approvals-said", "Approved");
        assertThat(UiRig.end(second)).isZero();
        assertThat(rig.upstreamHas("agent/ask/first")).isFalse();
        ann.click("#approvals-list button.dismiss");
        assertThat(ann.text("#approvals-list")).isEmpty();
    }

    @Test
    void g6ALinkOfAWebhookLeadsToItsQuestionOnceAndAnswersNothing() throws IOException {
        rig.sallyport
                .sallyport("secret", "set", "hook", "--host", "localhost.localdomain")
                .input("0123456789abcdef0123456789abcdef\n")
                .run()
                .ok();
        rig.link();
        Process asking = rig.startPush("refs/heads/agent/ask/hook", "told elsewhere");
        Await.until("it is posted", () -> told().isPresent());
        JsonNode post = new ObjectMapper().readTree(told().orElseThrow());
        Browser ann = rig.browser();
        ann.open(post.get("link").asText());
        ann.awaitText("#approvals-list > li.meant", "told elsewhere");
        assertThat(rig.upstreamHas("agent/ask/hook")).isFalse();

        Browser bob = rig.browser();
        bob.open(post.get("link").asText());
        bob.awaitText("#welcome-text", "This link was used already");
        ann.click("#approvals-list > li.meant button.no");
        assertThat(UiRig.end(asking)).isNotZero();
        assertThat(rig.upstreamHas("agent/ask/hook")).isFalse();
        assertThat(rig.sallyport.sallyport("status").run().ok()).doesNotContain("trouble");
    }

    private static Optional<String> told() {
        return POSTED.stream().filter(body -> body.contains("agent/ask/hook")).findFirst();
    }

    /// The daemon's answers are made up here, so that there is one question of each sort.
    @Test
    void g6EverythingThatAYesIsGivenToIsShown() {
        Browser ann = rig.person();
        String draw =
                """
                (async () => {
                  const question = (id, detail) => ({
                    view: {id, sandbox: 'box', kind: 'web', target: 'a.example', summary: 'asks', reasons: [], digest: 'd',
                        asked: '2026-01-31T12:00:00Z', expires: '2026-01-31T12:10:00Z'},
                    question: {bytes: 9, detail}});
                  const request = {operation: '', method: 'POST', url: 'https://a.example/x', fields: ['x-word: a field'], address: '1', text: 'a body'};
                  const all = [
                    question('first', {push: {commands: [], options: ['an option'], commits: [], commitsTotal: 0, files: [], filesTotal: 0,
                        diff: '', complete: true}}),
                    question('second', {request: {...request, complete: true}}),
                    question('third', {request: {...request, complete: false}})];
                  window.fetch = async (path) => Response.json(
                      path === '/v1/approvals' ? {approvals: all.map(one => one.view)} : all.find(one => path.endsWith(one.view.id)));
                  await (await import('/approvals.js')).refresh();
                })()
                """;
        ann.value(draw);
        String card = "#approvals-list > li:nth-child(%d)";
        assertThat(ann.text(card.formatted(1))).contains("an option");
        String hidden = "The body or a field is NOT shown as a whole.";
        assertThat(ann.text(card.formatted(2)))
                .contains("x-word: a field", "a body")
                .doesNotContain(hidden);
        assertThat(ann.text(card.formatted(3))).contains(hidden);
    }

    /// By somebody who has the session's cookie and knows how to ask.
    @Test
    void g6AnAnswerToAnotherQuestionThanTheOneShownIsNone() {
        Browser ann = rig.person();
        Process asking = rig.startPush("refs/heads/agent/ask/swap", "swap");
        ann.awaitText("#approvals-list", "swap");
        String answer =
                """
                (async () => {
                  const {approvals: [view]} = await (await fetch('/v1/approvals')).json();
                  const say = (id, digest) => fetch('/v1/approvals/' + id, {method: 'POST', headers: {'Content-Type': 'application/json'},
                      body: JSON.stringify({answer: 'yes', digest, who: 'x', how: 'page', note: ''})}).then(a => a.status);
                  return [await say(view.id, '0'.repeat(64)), await say('aaaaaaaaaa', view.digest)].join(' ');
                })()
                """;
        assertThat(ann.value(answer).asText()).isEqualTo("409 404");
        assertThat(rig.upstreamHas("agent/ask/swap")).isFalse();
        ann.click("#approvals-list button.no");
        assertThat(UiRig.end(asking)).isNotZero();
    }
}
