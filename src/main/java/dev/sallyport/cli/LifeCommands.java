package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// The commands that lengthen a session and end it.
final class LifeCommands {
    private LifeCommands() {}

    @Command(
            name = "extend",
            description = "Extend the lifetime of a sandbox.",
            footer = {
                "",
                "Examples:",
                "  sallyport extend work",
                "  sallyport extend work 2d",
                "",
                "The limit is set under sessions: in policy.yaml. An ended session stays ended."
            })
    static final class Extend extends WardenCommand {
        @Mixin private SandboxName sandbox;

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "DURATION",
                description = "Time from now: 30m, 12h, 2d. Default: 7d, or as long as allowed.")
        private @Nullable String duration;

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.SandboxView view =
                    warden.extend(sandbox.name(), new Api.Extend(Optional.ofNullable(duration)));
            output.answer(view, view.name() + " ends at " + view.life().absoluteEnd() + "\n");
        }
    }

    @Command(
            name = "end",
            description =
                    "End a sandbox for good. It cannot be started again; its files stay until you destroy it.")
    static final class End extends WardenCommand {
        @Mixin private final TriggerOptions triggers = new TriggerOptions();
        @Mixin private SandboxName sandbox;

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.SandboxView view;
            try (Waiting _ = output.waiting("ending " + sandbox.name())) {
                view = warden.end(sandbox.name());
            }
            triggers.known(output, view).ifPresent(TriggerWatch::end);
            output.answer(view, view.name() + " " + view.state() + "\n");
        }
    }
}
