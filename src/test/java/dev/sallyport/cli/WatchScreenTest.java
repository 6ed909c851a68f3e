package dev.sallyport.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchScreenTest {
    private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");

    private static WatchState.Seen seen(String sandbox, String host, String decision) {
        return new WatchState.Seen(
                AuditWordsTest.line("egress.connect", decision, "host", host), sandbox);
    }

    private static WatchScreen screen(WatchState state, int columns, int rows) {
        return new WatchScreen(state, List.of(), columns, rows, NOON, ZoneOffset.UTC);
    }

    private static String text(List<AttributedString> rows) {
        return rows.stream().map(AttributedString::toString).collect(Collectors.joining("\n"));
    }

    private static WatchState filled(int lines) {
        WatchState state = new WatchState("");
        for (int i = 0; i < lines; i++) {
            state.add(
                    seen(
                            i % 2 == 0 ? "a" : "b",
                            "h" + i + ".example",
                            i % 3 == 0 ? "deny" : "allow"));
        }
        return state;
    }

    @Test
    void everySizeIsFilledExactlyAndTheNewestLineIsShown() {
        WatchState state = filled(100);
        for (int columns : new int[] {20, 80, 300}) {
            for (int rows : new int[] {8, 24, 100}) {
                List<AttributedString> drawn = screen(state, columns, rows).list("");
                assertThat(drawn).hasSize(rows);
                assertThat(drawn).allMatch(row -> row.columnLength() <= columns);
            }
        }
        assertThat(text(screen(state, 120, 24).list(""))).contains("> 12:00:00 b", "h99.example");
    }

    @Test
    void theSelectedLineStaysOnTheScreenWhileOthersCome() {
        WatchState state = filled(100);
        state.move(60);
        WatchState.Seen before = state.selected().orElseThrow();
        for (int i = 0; i < 30; i++) {
            state.add(seen("a", "later" + i + ".example", "allow"));
        }
        assertThat(state.selected()).contains(before);
        assertThat(text(screen(state, 120, 24).list(""))).contains("h39.example");
        state.toNewest();
        assertThat(state.selected().orElseThrow().text()).contains("later29");
    }

    @Test
    void filtersLeaveOnlyWhatFits() {
        WatchState state = filled(9);
        state.toggleDenied();
        assertThat(state.shown()).hasSize(3).allMatch(WatchState.Seen::isDenied);
        state.search("H6");
        assertThat(state.shown()).hasSize(1);
        state.search("");
        state.toggleDenied();
        assertThat(state.shown()).hasSize(9);
        assertThat(filledFor("b").shown()).hasSize(4);
    }

    private static WatchState filledFor(String sandbox) {
        WatchState state = new WatchState(sandbox);
        filled(9).shown().forEach(state::add);
        return state;
    }

    @Test
    void aPauseHoldsTheListAndCountsWhatComes() {
        WatchState state = filled(5);
        state.togglePause();
        WatchState.Seen before = state.selected().orElseThrow();
        state.add(seen("a", "new.example", "deny"));
        assertThat(state.selected()).contains(before);
        assertThat(text(screen(state, 100, 20).list(""))).contains("PAUSED, 1 new");
        state.togglePause();
        assertThat(state.selected().orElseThrow().text()).contains("new.example");
    }

    @Test
    void memoryIsBounded() {
        assertThat(filled(WatchState.LINES_MAX + 500).shown()).hasSize(WatchState.LINES_MAX);
    }

    @Test
    void whatASandboxWroteCannotSteerTheTerminal() {
        WatchState state = new WatchState("");
        state.add(seen("a\u001b[2J", "x\u001b]0;t\u0007\u202e.example\n", "deny"));
        state.search("");
        String drawn = text(screen(state, 200, 20).list(""));
        assertThat(drawn).contains("]0;t").doesNotContain("\u001b", "\u0007", "\u202e");
        assertThat(text(screen(state, 9, 9).page("t", List.of("a\u001b[2Jb"))))
                .doesNotContain("\u001b");
    }

    /// What a person decides by is all somewhere in the rows, whatever it is written in.
    @Test
    void nothingIsBeyondTheEdgeOfAQuestion() {
        WatchScreen screen = screen(new WatchState(""), 80, 24);
        String wide = "\u3000".repeat(60) + "evil one" + "\u3000".repeat(60) + "\uD83D\uDE00";
        String hidden = "x".repeat(75) + "\u200B\u200Bevil two";
        List<AttributedString> all = screen.wrapped(List.of("", wide, hidden));

        assertThat(all).allMatch(row -> row.columnLength() <= 80);
        assertThat(all.getFirst().toString()).isEmpty();
        String joined = all.stream().map(AttributedString::toString).collect(Collectors.joining());
        assertThat(joined).isEqualTo(wide + "x".repeat(75) + "\\u200b\\u200bevil two");
        List<AttributedString> drawn = screen.question(all, "keys");
        assertThat(drawn).hasSize(24);
        assertThat(drawn.getLast().toString()).isEqualTo("keys");
        assertThat(drawn.subList(0, all.size())).isEqualTo(all);
        assertThat(text(screen.page("t", List.of(wide)))).contains("evil one");
    }

    @Test
    void theEndOfAVeryLongLineCanBeScrolledTo(@TempDir Path home) throws Exception {
        WatchScreen screen = screen(new WatchState(""), 80, 24);
        List<AttributedString> all = screen.wrapped(List.of("+" + "x".repeat(20_000) + "evil"));
        WatchQuestions questions = new WatchQuestions(feed(home), false);
        questions.scroll(240);
        assertThat(questions.first(all.size())).isEqualTo(240);
        questions.scroll(240);
        int last = questions.first(all.size());

        assertThat(last).isEqualTo(all.size() - 1);
        assertThat(text(screen.question(all.subList(last, all.size()), "keys"))).contains("evil");
        questions.scroll(-1_000);
        assertThat(questions.first(all.size())).isZero();
        assertThat(questions.first(0)).isZero();
    }

    /// Of a home where nothing has happened.
    private static Feed feed(Path home) throws Exception {
        Surroundings surroundings =
                new Surroundings(
                        Map.of("SALLYPORT_HOME", home.toString()),
                        InputStream.nullInputStream(),
                        new PrintStream(OutputStream.nullOutputStream(), true, UTF_8),
                        new PrintStream(OutputStream.nullOutputStream(), true, UTF_8),
                        new Terminal(false, false, false),
                        home);
        return new Feed(new Output(surroundings));
    }

    @Test
    void aSparklineShowsTheLastSecondsOldestFirst() {
        List<Long> counts = new ArrayList<>(Collections.nCopies(4, 0L));
        counts.set(1, 1L);
        counts.set(3, 8L);
        assertThat(WatchScreen.sparks(counts)).isEqualTo(" ▁ █");
        WatchState state = filled(10);
        assertThat(state.activity("a").lately(NOON)).endsWith(5L).startsWith(0L);
        assertThat(state.activity("a").lately(NOON.plusSeconds(3600))).containsOnly(0L);
        assertThat(state.activity("a").allowed() + state.activity("a").denied()).isEqualTo(5);
    }
}
