package dev.sallyport.cli;

import dev.sallyport.confine.Jvm;
import dev.sallyport.demo.Claim;
import dev.sallyport.demo.Demo;
import dev.sallyport.demo.Demo.DemoException;
import dev.sallyport.demo.Outcome;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// Shows on this machine that Sallyport does what it says.
@Command(
        name = "demo",
        description = "Test every security claim on this machine, with a local git server.",
        footer = {
            "",
            "Needs no account, no Docker and no configuration; leaves nothing behind.",
            "Exit status: 0 if every claim holds, 1 if not, 69 if something is missing."
        })
final class DemoCommand implements Callable<Integer>, Demo.Listener {
    @Mixin private Output output;
    private volatile String doing = "";
    private int claims;

    @Override
    public Integer call() throws IOException, GeneralSecurityException, CliException {
        List<String> program = OwnProgram.command(Jvm.COMMAND);
        try (Waiting waiting = output.waiting("trying it out")) {
            waiting.asking(() -> doing);
            Outcome outcome = new Demo(this, program).play();
            output.answer(outcome, table(outcome));
            return (outcome.holds() ? ExitCode.OK : ExitCode.FAILED).status();
        } catch (DemoException e) {
            throw ExitCode.UNAVAILABLE.because(
                    "demo-cannot-run", String.valueOf(e.getMessage()), "");
        }
    }

    @Override
    public void step(String what) {
        doing = what;
        output.progress(what);
    }

    @Override
    public void tried(Claim claim) {
        doing = "claims tried: " + ++claims;
        output.progress("tried: " + claim.text() + (claim.holds() ? "" : " - DOES NOT HOLD"));
    }

    private String table(Outcome outcome) {
        Ink ink = output.surroundings().outInk();
        StringBuilder text = new StringBuilder("\n");
        int number = 0;
        for (Claim claim : outcome.claims()) {
            text.append(claim.holds() ? ink.green("✓") : ink.red("✗"))
                    .append(" %2d  ".formatted(++number))
                    .append(ink.bold(Printable.of(claim.text())))
                    .append("\n       ")
                    .append(ink.faint(Printable.of(claim.evidence())))
                    .append('\n');
        }
        long holding = outcome.claims().stream().filter(Claim::holds).count();
        return text.append(
                        "\n%d of %d claims hold, tried in %.1f seconds.\n"
                                .formatted(holding, number, outcome.seconds()))
                .toString();
    }
}
