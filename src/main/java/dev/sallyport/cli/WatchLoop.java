package dev.sallyport.cli;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.control.ControlException;
import dev.sallyport.story.LineWords;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;

/// `watch` in a terminal: draws, waits for a key or for the next look, and draws again. Only what
/// changed is written, so nothing flickers.
final class WatchLoop {
    private static final long LOOK_MILLIS = 200;
    private static final long KEY_REST_MILLIS = 50;
    private static final int ESCAPE = 27;
    private static final int ENTER = 13;
    private static final int DELETE = 127;
    private static final int PAGE = 10;

    private final Feed feed;
    private final WatchState state;
    private final WatchQuestions questions;
    private final int before;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicBoolean resized = new AtomicBoolean(true);
    private Mode mode = Mode.LIST;
    private String note = "";
    private String typed = "";
    private Optional<Allowing> allowing = Optional.empty();
    private Optional<RuleAddition> addition = Optional.empty();
    private long lookedAt;

    private enum Mode {
        LIST,
        HELP,
        DETAILS,
        SEARCH,
        ALLOW,
        QUESTION,
        RULE
    }

    /// @param once whether the next connection waits for an answer
    private record Allowing(String sandbox, String host, boolean once) {
        String question() {
            return once
                    ? "let the next connection of %s to %s wait for your answer? y/n"
                            .formatted(sandbox, host)
                    : "allow %s to %s for this session? y/n".formatted(host, sandbox);
        }

        String done() {
            return once
                    ? "%s can try again; each connection to %s waits for your answer"
                            .formatted(sandbox, host)
                    : sandbox + " may reach " + host + " now";
        }
    }

    WatchLoop(Feed feed, WatchState state, int before, boolean notifies) {
        this.feed = feed;
        this.state = state;
        this.questions = new WatchQuestions(feed, notifies);
        this.before = Math.min(before, WatchState.LINES_MAX);
    }

    void run() throws IOException, ControlException, CliException {
        try (org.jline.terminal.Terminal terminal =
                TerminalBuilder.builder().system(true).exec(true).dumb(false).build()) {
            Attributes usual = terminal.enterRawMode();
            terminal.handle(Signal.INT, _ -> over.set(true));
            terminal.handle(Signal.WINCH, _ -> resized.set(true));
            terminal.puts(Capability.enter_ca_mode);
            terminal.puts(Capability.cursor_invisible);
            try {
                state.sandboxes(feed.sandboxes());
                questions.look();
                feed.before(before).forEach(this::add);
                loop(terminal);
            } finally {
                terminal.puts(Capability.cursor_visible);
                terminal.puts(Capability.exit_ca_mode);
                terminal.flush();
                terminal.setAttributes(usual);
            }
        }
    }

    private void loop(org.jline.terminal.Terminal terminal)
            throws IOException, ControlException, CliException {
        Display display = new Display(terminal, true);
        Size size = new Size();
        while (!over.get()) {
            if (resized.getAndSet(false)) {
                size = terminal.getSize();
                display.clear();
                display.resize(size.getRows(), size.getColumns());
            }
            // It may change the list that it is given.
            display.update(new ArrayList<>(drawn(size)), 0);
            key(terminal.reader());
            look();
        }
    }

    private List<AttributedString> drawn(Size size) {
        WatchScreen screen =
                new WatchScreen(
                        state,
                        questions.open(),
                        Math.max(1, size.getColumns()),
                        Math.max(1, size.getRows()),
                        Instant.now(),
                        ZoneId.systemDefault());
        return switch (mode) {
            case HELP -> screen.page("keys", WatchScreen.HELP);
            case DETAILS -> screen.page("decision", details());
            case QUESTION -> question(screen);
            case RULE ->
                    screen.question(
                            screen.wrapped(addition.orElseThrow().diff()), WatchScreen.RULE_KEYS);
            case SEARCH -> screen.list("search: " + typed + "_");
            case LIST, ALLOW -> screen.list(note);
        };
    }

    private List<AttributedString> question(WatchScreen screen) {
        List<AttributedString> all = screen.wrapped(questions.lines(Instant.now()));
        List<AttributedString> rest = all.subList(questions.first(all.size()), all.size());
        return screen.question(rest, WatchScreen.QUESTION_KEYS);
    }

    private List<String> details() {
        return state.selected()
                .map(
                        seen ->
                                ("sandbox "
                                                + seen.sandbox()
                                                + "\n"
                                                + AuditWhyCommand.text(seen.line(), seen.sandbox())
                                                + "\nany key goes back")
                                        .lines()
                                        .toList())
                .orElse(List.of("nothing is selected"));
    }

    private void look() throws IOException, ControlException, CliException {
        feed.next().forEach(this::add);
        long second = System.nanoTime() / 1_000_000_000L;
        if (second != lookedAt) {
            lookedAt = second;
            state.sandboxes(feed.sandboxes());
            questions.look();
        }
    }

    private void add(AuditLine line) {
        state.add(new WatchState.Seen(line, feed.nameOf(line)));
    }

    private void key(NonBlockingReader keys) throws IOException, ControlException, CliException {
        int key = keys.read(LOOK_MILLIS);
        if (key == NonBlockingReader.EOF) {
            over.set(true);
        }
        if (key < 0) {
            return;
        }
        switch (mode) {
            case HELP, DETAILS -> {
                arrow(key, keys);
                mode = Mode.LIST;
            }
            case SEARCH -> type(key);
            case ALLOW -> answer(key);
            case RULE -> write(key);
            case QUESTION -> question(key == ESCAPE ? arrow(key, keys) : (char) key);
            case LIST -> list(key == ESCAPE ? arrow(key, keys) : (char) key);
        }
    }

    /// The letter that means the same as an arrow.
    private static char arrow(int key, NonBlockingReader keys) throws IOException {
        if (key != ESCAPE || keys.read(KEY_REST_MILLIS) < 0) {
            return 0;
        }
        return switch (keys.read(KEY_REST_MILLIS)) {
            case 'A' -> 'k';
            case 'B' -> 'j';
            case '5' -> 'u';
            case '6' -> 'f';
            default -> 0;
        };
    }

    private void list(char key) throws IOException {
        note = "";
        switch (key) {
            case 'q' -> over.set(true);
            case '?', 'h' -> mode = Mode.HELP;
            case 'k' -> state.move(1);
            case 'j' -> state.move(-1);
            case 'u' -> state.move(PAGE);
            case 'f' -> state.move(-PAGE);
            case 'g' -> state.move(WatchState.LINES_MAX);
            case 'G' -> state.toNewest();
            case 'd' -> state.toggleDenied();
            case ' ', 'p' -> state.togglePause();
            case '\t' -> state.nextSandbox();
            case '/' -> beginSearch();
            case ENTER, '\n' -> mode = Mode.DETAILS;
            case 'a' -> beginAllow(false);
            case 'o' -> beginAllow(true);
            case 'w' -> beginRule();
            case 'v', 'y', 'n' -> beginQuestion();
            default -> {}
        }
    }

    /// Who answers has looked: y and n mean an answer only there.
    private void beginQuestion() throws IOException {
        mode = questions.show() ? Mode.QUESTION : Mode.LIST;
        note = mode == Mode.LIST ? "nothing waits for an answer" : "";
    }

    private void question(char key) throws IOException {
        switch (key) {
            case 'j' -> questions.scroll(1);
            case 'k' -> questions.scroll(-1);
            case 'f', ' ' -> questions.scroll(PAGE);
            case 'u' -> questions.scroll(-PAGE);
            case '\t' -> beginQuestion();
            case 'y', 'n' -> {
                note = questions.answer(key == 'y');
                mode = Mode.LIST;
            }
            default -> {
                questions.leave();
                mode = Mode.LIST;
            }
        }
    }

    private void beginSearch() {
        mode = Mode.SEARCH;
        typed = state.search();
    }

    private void type(int key) {
        if (key == ENTER || key == '\n' || key == ESCAPE) {
            mode = Mode.LIST;
        } else if (key == DELETE || key == '\b') {
            typed = typed.isEmpty() ? "" : typed.substring(0, typed.length() - 1);
        } else if (key >= ' ') {
            typed += (char) key;
        }
        state.search(typed);
    }

    /// Only hosts can be allowed to a sandbox that exists; the details of a line say what else
    /// would help.
    private void beginAllow(boolean once) {
        allowing = allowing(once);
        note =
                allowing.map(Allowing::question)
                        .orElse("no command allows this at once; press enter to see what would");
        mode = allowing.isPresent() ? Mode.ALLOW : Mode.LIST;
    }

    /// For new sandboxes; what is there can be allowed besides.
    private void beginRule() throws IOException {
        Optional<Allowing> found = allowing(false);
        if (found.isEmpty()) {
            note = "no rule for a host would allow this; press enter to see what would";
            return;
        }
        try {
            addition = Optional.of(RuleAddition.of(feed.policyFile(), found.get().host()));
            mode = Mode.RULE;
        } catch (CliException e) {
            note = String.valueOf(e.getMessage());
        }
    }

    private void write(int key) throws IOException {
        mode = Mode.LIST;
        if (key != 'y') {
            note = "not written";
            return;
        }
        try {
            addition.orElseThrow().write();
            note = "written to " + feed.policyFile() + "; press a to allow it here, too";
        } catch (CliException e) {
            note = String.valueOf(e.getMessage());
        }
    }

    private Optional<Allowing> allowing(boolean once) {
        return state.selected()
                .filter(WatchState.Seen::isDenied)
                .flatMap(seen -> allowing(seen, once));
    }

    private static Optional<Allowing> allowing(WatchState.Seen seen, boolean once) {
        String command = "sallyport allow " + seen.sandbox() + " ";
        return new LineWords(seen.line())
                .reasons().stream()
                        .map(reason -> reason.remedy(seen.sandbox()))
                        .filter(remedy -> remedy.startsWith(command))
                        .map(remedy -> remedy.substring(command.length()))
                        .map(host -> new Allowing(seen.sandbox(), host, once))
                        .findFirst();
    }

    private void answer(int key) throws IOException, CliException {
        Allowing asked = allowing.orElseThrow();
        mode = Mode.LIST;
        if (key != 'y') {
            note = "not allowed";
            return;
        }
        try {
            feed.allow(asked.sandbox(), asked.host(), asked.once());
            note = asked.done();
        } catch (ControlException e) {
            note = "not allowed: " + e.getMessage();
        }
    }
}
