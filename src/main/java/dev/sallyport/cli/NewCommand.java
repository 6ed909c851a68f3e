package dev.sallyport.cli;

import dev.sallyport.config.AgentProfile;
import dev.sallyport.config.AgentProfiles;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// A sandbox that stays until it is destroyed or expires.
@Command(
        name = "new",
        addMethodSubcommands = false,
        description = "Create and start a sandbox that stays until you destroy it.",
        footer = {
            "",
            "Examples:",
            "  sallyport new --name work --repo acme/app",
            "  sallyport new --name fix --clone acme/app",
            "  sallyport exec work -- bash",
            "  sallyport new --name fix --agent claude",
            "  sallyport exec fix -- claude",
            "  sallyport destroy work"
        })
final class NewCommand extends SucceedingCommand {
    @Mixin private final SandboxOptions options = new SandboxOptions();

    @Option(
            names = "--agent",
            paramLabel = "NAME",
            description =
                    "Prepare the sandbox for this agent, as listed by agents; start it with exec.")
    private @Nullable String agent;

    @Override
    void act() throws IOException, ControlException, CliException {
        Api.CreateSandbox request = options.request(output, false, agent());
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            output.progress("creating the sandbox");
            Api.SandboxView made = CloneLife.create(output, warden, request, options.cloned());
            TriggerOptions.begin(output, made, options.cloned().isPresent());
            HookNotice.give(output, made);
            PortText.give(output, made);
            SandboxText.unlimited(made.resources()).ifPresent(output::notice);
            output.answer(made, made.name() + "\n");
        }
    }

    private Optional<AgentStart> agent() throws IOException, ControlException, CliException {
        if (agent == null) {
            return Optional.empty();
        }
        AgentProfiles profiles = AgentStart.profiles(output.surroundings());
        Optional<AgentProfile> profile = profiles.find(agent);
        if (profile.isEmpty()) {
            List<String> near = DidYouMean.nearest(agent, profiles.names());
            String list = "List them with: sallyport agents";
            throw ExitCode.USAGE.because(
                    "unknown-agent",
                    "There is no agent " + agent + ".",
                    near.isEmpty() ? list : DidYouMean.question(near) + " " + list);
        }
        return Optional.of(AgentStart.of(output, profile.get(), options));
    }
}
