package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "watch",
        description = "Show live what sandboxes ask for, and what is allowed and denied.",
        footer = {
            "",
            "In a terminal it takes the whole screen; press ? for the keys. Otherwise, or",
            "with --follow, it prints one line per decision until it is interrupted.",
            "",
            "Examples:",
            "  sallyport watch",
            "  sallyport watch work --follow --json"
        })
final class WatchCommand extends SucceedingCommand {
    private static final long INTERVAL_MILLIS = 200;

    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Only this sandbox.")
    private String name = "";

    @Option(names = "--follow", description = "Print one line per decision.")
    private boolean follow;

    @Option(
            names = "--last",
            paramLabel = "N",
            description = "Begin with this many earlier lines. Default: 0 lines, or a screen full.")
    private int last;

    @Option(
            names = "--no-notify",
            description = "Show no desktop notification when something waits for your answer.")
    private boolean noNotify;

    @Override
    void act() throws IOException, ControlException, CliException, InterruptedException {
        if (last < 0 || last > AuditFilter.LAST_MAX) {
            throw ExitCode.USAGE.because(
                    "bad-number", "--last is between 0 and " + AuditFilter.LAST_MAX + ".", "");
        }
        requireSandbox();
        Feed feed = new Feed(output);
        boolean lines = follow || output.isJson();
        if (lines || !output.surroundings().terminal().isInteractive()) {
            print(feed);
        } else {
            int before = Math.max(last, WatchState.LINES_MAX);
            new WatchLoop(feed, new WatchState(name), before, !noNotify).run();
        }
    }

    /// Of a misspelt name there would never be a line.
    private void requireSandbox() throws IOException, ControlException, CliException {
        if (!name.isEmpty()) {
            try (ControlClient warden = output.wardens().connectOrStart(output)) {
                warden.sandbox(name);
            }
        }
    }

    /// Until nobody reads it any more.
    private void print(Feed feed)
            throws IOException, ControlException, CliException, InterruptedException {
        PrintStream out = output.surroundings().out();
        feed.sandboxes();
        if (last > 0) {
            for (AuditLine line : feed.before(last)) {
                print(feed, line, out);
            }
        }
        while (!out.checkError()) {
            for (AuditLine line : feed.next()) {
                print(feed, line, out);
            }
            Thread.sleep(INTERVAL_MILLIS);
        }
    }

    private void print(Feed feed, AuditLine line, PrintStream out) {
        WatchState.Seen seen = new WatchState.Seen(line, feed.nameOf(line));
        if (!name.isEmpty() && !name.equals(seen.sandbox())) {
            return;
        }
        if (output.isJson()) {
            out.println(AuditCommands.Show.json(line));
            return;
        }
        Ink ink = output.surroundings().outInk();
        String decision = "%-8s".formatted(seen.decision());
        out.println(
                "%s %-16s %s %s"
                        .formatted(
                                line.time(),
                                Printable.of(seen.sandbox()),
                                seen.isDenied() ? ink.red(decision) : decision,
                                Printable.of(seen.text())));
    }
}
