package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ApprovalsApi;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/// Draws what `watch` knows into so many rows and columns.
///
/// @param questions what waits for an answer
record WatchScreen(
        WatchState state,
        List<ApprovalsApi.ApprovalView> questions,
        int columns,
        int rows,
        Instant now,
        ZoneId zone) {
    private static final String SPARKS = " ▁▂▃▄▅▆▇█";
    private static final int SANDBOXES_MAX = 8;
    private static final int QUESTIONS_MAX = 3;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
    private static final AttributedStyle RED = PLAIN.foreground(AttributedStyle.RED);
    private static final AttributedStyle GREEN = PLAIN.foreground(AttributedStyle.GREEN);
    private static final AttributedStyle YELLOW = PLAIN.foreground(AttributedStyle.YELLOW);
    static final String RULE_KEYS = "y write this   any other key goes back";
    static final String QUESTION_KEYS =
            "y yes   n no   ↑↓ scroll   space page   tab next question   any other key goes back";
    private static final String KEYS =
            "↑↓ select  enter details  a allow  o once  d denied  / search  tab sandbox  space pause  ? help  q quit";

    static final List<String> HELP =
            List.of(
                    "↑ ↓ j k     select a line",
                    "g G         oldest line, newest line",
                    "enter       why it was decided so, and what would allow it",
                    "a           allow the host of a denied line to its sandbox, for this session",
                    "o           allow it once: each further connection to that host waits for your answer",
                    "w           write a rule for that host to policy.yaml, which is shown first",
                    "v           show what waits for your answer; there y is yes and n is no",
                    "d           only what was denied",
                    "/           only lines with this text; empty for all",
                    "tab         only one sandbox, the next one, all",
                    "space       pause; the audit log goes on",
                    "q           quit",
                    "",
                    "any key goes back");

    /// The list of sandboxes and of decisions.
    ///
    /// @param note what the last key did, or a question
    List<AttributedString> list(String note) {
        List<AttributedString> screen = new ArrayList<>();
        screen.add(title());
        questions(screen);
        sandboxes(screen);
        screen.add(styled("-".repeat(Math.max(0, columns)), PLAIN.faint()));
        int room = Math.max(1, rows - screen.size() - 1);
        decisions(screen, room);
        while (screen.size() < rows - 1) {
            screen.add(AttributedString.EMPTY);
        }
        screen.add(note.isEmpty() ? styled(KEYS, PLAIN.faint()) : styled(note, PLAIN.bold()));
        return cut(screen);
    }

    /// Text instead of the list.
    List<AttributedString> page(String title, List<String> text) {
        List<AttributedString> screen = new ArrayList<>();
        screen.add(styled(title, PLAIN.bold()));
        screen.add(AttributedString.EMPTY);
        text.forEach(line -> screen.addAll(wrapped(line, PLAIN)));
        while (screen.size() < rows) {
            screen.add(AttributedString.EMPTY);
        }
        return cut(screen);
    }

    /// All rows of a text that a person decides by.
    List<AttributedString> wrapped(List<String> text) {
        return text.stream().flatMap(line -> wrapped(line, style(line)).stream()).toList();
    }

    /// By columns, as it is drawn: some letters take two, and what is beyond the last is not seen.
    private List<AttributedString> wrapped(String line, AttributedStyle style) {
        return styled(line.replace("\t", "    "), style).columnSplitLength(columns);
    }

    /// One question, with the keys that answer it always in sight.
    ///
    /// @param text rows made by [#wrapped], from the one that was scrolled to
    List<AttributedString> question(List<AttributedString> text, String keys) {
        List<AttributedString> screen = new ArrayList<>(text);
        while (screen.size() < rows) {
            screen.add(AttributedString.EMPTY);
        }
        List<AttributedString> drawn = new ArrayList<>(screen.subList(0, rows - 1));
        drawn.add(styled(keys, PLAIN.bold()));
        return cut(drawn);
    }

    private static AttributedStyle style(String line) {
        return switch (ApprovalText.paint(line)) {
            case ADDED -> GREEN;
            case REMOVED -> RED;
            case HEAD -> PLAIN.bold();
            case HUNK -> PLAIN.faint();
            case ALARM -> YELLOW;
            case PLAIN -> PLAIN;
        };
    }

    private void questions(List<AttributedString> screen) {
        questions.stream()
                .limit(QUESTIONS_MAX)
                .forEach(
                        view ->
                                screen.add(
                                        styled(
                                                "? %s wants: %s (%s left)  v to look"
                                                        .formatted(
                                                                view.sandbox(),
                                                                view.summary()
                                                                        + " to "
                                                                        + view.target(),
                                                                ApprovalText.left(view, now)),
                                                YELLOW.bold())));
        int rest = questions.size() - QUESTIONS_MAX;
        if (rest > 0) {
            screen.add(styled("? and " + rest + " more", YELLOW));
        }
    }

    private AttributedString title() {
        StringBuilder text = new StringBuilder("sallyport watch");
        text.append(state.sandbox().isEmpty() ? "" : "  sandbox " + state.sandbox());
        text.append(state.isOnlyDenied() ? "  denied only" : "");
        text.append(state.search().isEmpty() ? "" : "  search: " + state.search());
        text.append(state.isPaused() ? "  PAUSED, " + state.missed() + " new" : "");
        return styled(text.toString(), PLAIN.bold());
    }

    private void sandboxes(List<AttributedString> screen) {
        if (state.sandboxes().isEmpty()) {
            screen.add(styled("no sandboxes", PLAIN.faint()));
        }
        int most = Math.min(SANDBOXES_MAX, Math.max(1, rows / 3));
        state.sandboxes().stream().limit(most).forEach(view -> screen.add(row(view)));
        int rest = state.sandboxes().size() - most;
        if (rest > 0) {
            screen.add(styled("and " + rest + " more", PLAIN.faint()));
        }
    }

    private AttributedString row(Api.SandboxView view) {
        WatchState.Activity activity = state.activity(view.name());
        AttributedStringBuilder row = new AttributedStringBuilder();
        row.append("%-20s %-8s ".formatted(Printable.of(view.name()), view.state()));
        row.styled(PLAIN.faint(), sparks(activity.lately(now)));
        row.append(" %6d allowed ".formatted(activity.allowed()));
        row.styled(activity.denied() > 0 ? RED : PLAIN, "%6d denied".formatted(activity.denied()));
        return row.toAttributedString();
    }

    static String sparks(List<Long> counts) {
        long most = Math.max(1, Collections.max(counts));
        StringBuilder sparks = new StringBuilder();
        for (long count : counts) {
            long level = count == 0 ? 0 : 1 + count * (SPARKS.length() - 2) / most;
            sparks.append(SPARKS.charAt((int) Math.min(level, SPARKS.length() - 1)));
        }
        return sparks.toString();
    }

    /// The newest at the bottom; the selected one is always among them.
    private void decisions(List<AttributedString> screen, int room) {
        List<WatchState.Seen> shown = state.shown();
        int cursor = shown.size() - 1 - state.back();
        int last = Math.max(Math.min(shown.size(), room), shown.size() - state.back() + room / 2);
        last = Math.min(last, shown.size());
        int first = Math.max(0, last - room);
        for (int i = first; i < last; i++) {
            screen.add(row(shown.get(i), i == cursor));
        }
    }

    private AttributedString row(WatchState.Seen seen, boolean selected) {
        AttributedStringBuilder row = new AttributedStringBuilder();
        row.append(selected ? "> " : "  ");
        row.append(TIME.format(seen.line().time().atZone(zone))).append(' ');
        row.append("%-16s ".formatted(Printable.of(seen.sandbox())));
        row.styled(seen.isDenied() ? RED : GREEN, "%-8s".formatted(seen.decision()));
        row.styled(selected ? PLAIN.bold() : PLAIN, Printable.of(seen.text()));
        return row.toAttributedString();
    }

    private List<AttributedString> cut(List<AttributedString> screen) {
        return screen.stream().limit(rows).map(row -> row.columnSubSequence(0, columns)).toList();
    }

    /// Nothing in it can steer the terminal.
    private static AttributedString styled(String text, AttributedStyle style) {
        return new AttributedString(Printable.of(text), style);
    }
}
