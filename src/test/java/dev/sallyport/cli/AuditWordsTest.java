package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.Stamp;
import dev.sallyport.story.LineWords;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// What is told of the record, in words and in others' forms.
class AuditWordsTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");
    private static final ZoneId ZONE = ZoneId.of("Europe/Paris");
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String STEERING = "a\u001b[2J";

    static AuditLine line(String kind, String decision, String... facts) {
        Map<String, String> detail = new TreeMap<>();
        for (int i = 0; i < facts.length; i += 2) {
            detail.put(facts[i], facts[i + 1]);
        }
        AuditEvent event = new AuditEvent(kind, "0123456789abcdef", decision, detail);
        return new AuditLine(7, NOON, event, Stamp.NONE, "p", "h");
    }

    private static AuditLine push(String ref, String reason) {
        return line(
                "git.push",
                reason.isEmpty() ? "allow" : "deny",
                "repo",
                "github.com/acme/app",
                "ref-1",
                ref,
                "old-1",
                "0".repeat(40),
                "new-1",
                "1".repeat(40),
                "reason-1",
                reason);
    }

    @Test
    void aDeniedPushNamesEachRefItsReasonAndWhatWouldAllowIt() {
        LineWords words = new LineWords(push("refs/heads/main", "ref-not-allowed"));

        assertThat(words.asked()).isEqualTo("push to github.com/acme/app, refs/heads/main");
        LineWords.Reason reason = words.reasons().getFirst();
        assertThat(words.reasons()).hasSize(1);
        assertThat(reason.subject()).isEqualTo("github.com/acme/app refs/heads/main");
        assertThat(reason.sentence()).contains("not allowed to be pushed");
        assertThat(reason.remedy("work")).contains("push: branches of github.com/acme/app");
        assertThat(new LineWords(push("refs/heads/agent/x", "")).reasons()).isEmpty();
    }

    @Test
    void theStoryOfASessionTellsPushesHostsCommandsAndDenials() {
        SessionStory story = new SessionStory("work");
        story.add(line("session.create", "", "sandbox", "work", "runtime", "bubblewrap"));
        story.add(line("session.exec", "", "sandbox", "work", "program", "claude"));
        story.add(push("refs/heads/agent/x", ""));
        story.add(push("refs/heads/main", "ref-not-allowed"));
        story.add(line("egress.connect", "allow", "host", "api.example", "port", "443"));
        story.add(line("egress.request", "allow", "host", "api.example", "method", "GET"));
        story.add(
                line("egress.end", "", "host", "api.example", "bytes-up", "5", "bytes-down", "9"));
        story.add(
                line(
                        "egress.connect",
                        "deny",
                        "host",
                        "evil.example",
                        "reason",
                        "name-not-allowed"));

        SessionStory.Report report = story.report("work", "0123456789abcdef");
        assertThat(report.pushes())
                .extracting(SessionStory.Push::reason)
                .containsExactly("", "ref-not-allowed");
        assertThat(report.hosts())
                .containsOnly(Map.entry("api.example", new SessionStory.Use(1, 1, 5, 9)));
        assertThat(report.made()).containsOnly(Map.entry("runtime", "bubblewrap"));
        assertThat(report.denied()).isEqualTo(2);
        assertThat(report.allowed()).isEqualTo(3);
        assertThat(report.denials()).hasSize(2);
        assertThat(story.text("work", "0123456789abcdef"))
                .contains("refs/heads/agent/x", "0000000000..1111111111", "claude")
                .contains("api.example  1 connections, 1 requests, 5 bytes up, 9 bytes down")
                .contains("to allow it: sallyport allow work evil.example");
    }

    @Test
    void whatASandboxWroteIsShownAndNotObeyed() {
        SessionStory story = new SessionStory("work");
        story.add(line("session.exec", "", "sandbox", "work", "program", STEERING));
        story.add(line("egress.request", "allow", "host", STEERING, "method", STEERING));
        story.add(push(STEERING, STEERING));
        assertThat(story.text(STEERING, STEERING)).contains("[2J").doesNotContain("\u001b");
    }

    @Test
    void anExportLosesNoFactOfALine() throws IOException {
        AuditLine line =
                line(
                        "egress.request",
                        "deny",
                        "host",
                        "api.example",
                        "method",
                        "POST",
                        "path",
                        "/v1/x",
                        "id",
                        "0a");

        JsonNode ocsf = JSON.readTree(Json.write(OcsfEvent.of(line)));
        assertThat(ocsf.get("class_uid").asInt()).isEqualTo(4002);
        assertThat(ocsf.get("type_uid").asLong()).isEqualTo(400_299);
        assertThat(ocsf.get("disposition_id").asInt()).as("blocked").isEqualTo(2);
        assertThat(ocsf.get("time").asLong()).isEqualTo(NOON.toEpochMilli());
        assertThat(ocsf.at("/http_request/url/path").asText()).isEqualTo("/v1/x");
        assertThat(ocsf.at("/unmapped/id").asText()).isEqualTo("0a");
        assertThat(ocsf.at("/actor/session/uid").asText()).isEqualTo("0123456789abcdef");

        JsonNode otlp = JSON.readTree(Json.write(OtlpLogs.of(List.of(line, line))));
        JsonNode records = otlp.at("/resourceLogs/0/scopeLogs/0/logRecords");
        assertThat(records).hasSize(2);
        assertThat(records.get(0).get("timeUnixNano").asText()).isEqualTo("1769860800000000000");
        assertThat(records.get(0).get("severityText").asText()).isEqualTo("WARN");
        assertThat(records.get(0).get("attributes").toString())
                .contains("\"sallyport.path\"", "/v1/x", "sallyport.hash");
    }

    @Test
    void aTimeIsUnderstoodAsPeopleTypeIt() {
        assertThat(AuditFilterOptions.TimeText.parse("2h", NOON, ZONE))
                .contains(NOON.minusSeconds(7200));
        assertThat(AuditFilterOptions.TimeText.parse("1w", NOON, ZONE))
                .contains(NOON.minusSeconds(7 * 86_400));
        assertThat(AuditFilterOptions.TimeText.parse("today", NOON, ZONE))
                .contains(Instant.parse("2026-01-30T23:00:00Z"));
        assertThat(AuditFilterOptions.TimeText.parse("yesterday", NOON, ZONE))
                .contains(Instant.parse("2026-01-29T23:00:00Z"));
        assertThat(AuditFilterOptions.TimeText.parse("2026-01-31T08:00", NOON, ZONE))
                .contains(Instant.parse("2026-01-31T07:00:00Z"));
        assertThat(AuditFilterOptions.TimeText.parse("2026-01-31T08:00:00Z", NOON, ZONE))
                .contains(Instant.parse("2026-01-31T08:00:00Z"));
        for (String wrong : List.of("", "2", "h", "soon", "2026-13-01", "99999999h")) {
            assertThat(AuditFilterOptions.TimeText.parse(wrong, NOON, ZONE)).as(wrong).isEmpty();
        }
    }
}
