package dev.sallyport.cli;

import dev.sallyport.control.Api;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where a command's answer goes: text for a person or one JSON document for a program, on standard
/// output; everything else on standard error.
final class Output {
    private final Surroundings surroundings;

    @Option(
            names = "--json",
            description = "Print one JSON document on standard output and nothing else.")
    private boolean json;

    private boolean quiet;
    private @Nullable Waiting waiting;

    Output(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /// For the time that the terminal belongs to a command.
    Output quiet() {
        Output copy = new Output(surroundings);
        copy.json = json;
        copy.quiet = true;
        return copy;
    }

    void useJson() {
        json = true;
    }

    boolean isJson() {
        return json;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    Wardens wardens() {
        return new Wardens(surroundings);
    }

    /// Whether there is a person who sees a question and can answer it.
    boolean isAnswerable() {
        Terminal terminal = surroundings.terminal();
        return terminal.in() && terminal.err();
    }

    /// @param usually what an empty answer means
    boolean isAgreed(String question, boolean usually) throws IOException {
        say(question);
        String answer = Terminal.readLine().orElse("no").toLowerCase(Locale.ROOT);
        return (answer.isEmpty() && usually) || answer.equals("y") || answer.equals("yes");
    }

    /// @param text for a person, with its line ends
    void answer(Object document, String text) {
        say(surroundings.out(), json ? Json.write(document) + "\n" : text);
    }

    /// What takes time is announced; a program that asked for JSON does not read it.
    void progress(String text) {
        if (!json && !quiet) {
            say(surroundings.errInk().faint("· " + Printable.of(text)) + "\n");
        }
    }

    /// Shows on a terminal that something takes long, until it is closed; see [Waiting].
    ///
    /// @param what as in "stopping 3 sandboxes"
    Waiting waiting(String what) {
        Waiting next =
                new Waiting(surroundings.err(), surroundings.errInk(), what, System::nanoTime);
        waiting = next;
        return json || quiet || !surroundings.terminal().err() ? next : next.begin();
    }

    private void say(String text) {
        say(surroundings.err(), text);
    }

    /// Not into a line that is written over.
    private void say(PrintStream to, String text) {
        if (waiting != null) {
            waiting.beside(() -> to.print(text));
        } else {
            to.print(text);
        }
        to.flush();
    }

    /// What a person must be able to see afterwards, also when a program reads the answer.
    void notice(String text) {
        say("· " + Printable.of(text) + "\n");
    }

    /// What is to be known about a sandbox now; a program finds it in the answer.
    void warn(Api.SandboxView view) {
        if (!json) {
            view.notices().forEach(notice -> warn(view.name() + ": " + notice));
        }
    }

    void warn(Api.DamagedView view) {
        if (!json) {
            warn(
                    "%s: its record is damaged (%s), so it has no gateway access; remove it: sallyport destroy %s"
                            .formatted(view.name(), view.reason(), view.name()));
        }
    }

    void warn(String text) {
        say(surroundings.errInk().yellow("! ") + Printable.of(text) + "\n");
    }

    /// @param toStandardError when standard output belongs to somebody else
    void problem(Api.Problem problem, boolean toStandardError) {
        if (json) {
            say(
                    toStandardError ? surroundings.err() : surroundings.out(),
                    Json.write(problem) + "\n");
            return;
        }
        String head = surroundings.errInk().red("sallyport: ");
        say(head + Printable.lines(problem.message()) + "\n");
        if (!problem.remedy().isEmpty()) {
            say("  " + Printable.lines(problem.remedy()) + "\n");
        }
    }
}
