package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Grants;
import dev.sallyport.story.DenialGroups;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What reaches a person's terminal.
class TextTest {
    @Test
    void tablesAlignTheirColumnsAndEndWithoutBlanks() {
        String text =
                new Table("NAME", "STATE").row("a", "running").row("longer", "x").render(plain());
        assertThat(text).isEqualTo("NAME    STATE\na       running\nlonger  x\n");
    }

    @Test
    void controlCharactersAreShownInsteadOfObeyed() {
        assertThat(Printable.of("a\u001b[2Jb\nc\u202ed\u0007"))
                .isEqualTo("a\\u001b[2Jb\\u000ac\\u202ed\\u0007");
        assertThat(Printable.of("a\u3164\uFE0F\u2800b")).isEqualTo("a\\u3164\\ufe0f\\u2800b");
        assertThat(new Table("A").row("x\u001b[31m").render(plain())).doesNotContain("\u001b");
        String steering = "x\u001b[2J";
        DenialGroups denials = new DenialGroups("box");
        denials.add(AuditWordsTest.line("http.refused", "deny", "host", steering, "reason", "x"));
        assertThat(DenialsCommand.text(denials.list())).contains("2J").doesNotContain("\u001b");
    }

    @Test
    void rulesAreShownOnlyWhereTheyAreNotStandard() {
        assertThat(RuleText.summary(Grants.standard("github.com/acme/app", "write")))
                .isEqualTo("github.com/acme/app  write  push agent/**");
        assertThat(RuleText.rest(Grants.standard("github.com/acme/app", "write"))).isEmpty();
        assertThat(RuleText.summary(Grants.standard("github.com/acme/*", "read")))
                .isEqualTo("github.com/acme/*  read");
        assertThat(RuleText.rest(Grants.standard("github.com/acme/*", "read"))).isEmpty();
        assertThat(RuleText.rest(Grants.unusual("github.com/acme/app")))
                .containsExactly(
                        "refs-visible: refs/heads/**, refs/tags/v*",
                        "mirror: off",
                        "lfs: access: read, object-bytes-max: 5000, upload-bytes-max: 6000, storage: *.store.example",
                        "force: true",
                        "delete: true",
                        "tags: true",
                        "refs-trusted: refs/changes/**",
                        "paths-denied: none",
                        "paths-allowed: none",
                        "pack-bytes-max: 2000",
                        "file-bytes-max: 3000",
                        "commits-max: 4",
                        "secrets: warn",
                        "author: *@bots.example, me@corp.example");
    }

    @Test
    void colourIsOnlyForTerminalsAndNeverAgainstThePersonsWish() {
        Map<String, String> xterm = Map.of("TERM", "xterm");
        assertThat(Ink.of(true, xterm).red("x")).isEqualTo("\u001b[31mx\u001b[0m");
        assertThat(Ink.of(false, xterm).red("x")).isEqualTo("x");
        assertThat(Ink.of(true, Map.of("TERM", "xterm", "NO_COLOR", "1")).red("x")).isEqualTo("x");
        assertThat(Ink.of(true, Map.of("TERM", "dumb")).red("x")).isEqualTo("x");
        assertThat(Ink.of(true, Map.of()).red("x")).isEqualTo("x");
    }

    @Test
    void readingAnAnswerLeavesTheRestForTheCommand() throws Exception {
        var in = new ByteArrayInputStream("yes\nfor the command".getBytes(StandardCharsets.UTF_8));
        assertThat(Terminal.readLine(in)).contains("yes");
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("for the command");
        assertThat(Terminal.readLine(in)).isEmpty();
    }

    private static Ink plain() {
        return new Ink(false);
    }
}
