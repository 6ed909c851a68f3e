package dev.sallyport.cli;

import dev.sallyport.agent.FoundProgram;
import dev.sallyport.config.AgentProfile;
import dev.sallyport.config.AgentProfiles;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/// The agents that `run` knows by name, and what of each is here.
@Command(
        name = "agents",
        description = "List the agents that run can start by name, and what each of them needs.",
        footer = {
            "",
            "Examples:",
            "  sallyport agents",
            "  sallyport run claude",
            "",
            "A file agents/NAME.yaml in SALLYPORT_HOME adds an agent or replaces one."
        })
final class AgentsCommand extends SucceedingCommand {
    /// The stable document of `--json`.
    ///
    /// @param program where it is; absent when it is not on this machine
    /// @param secret the stored one that it would use; absent when there is none
    /// @param missing what to do before it can be run
    record Described(
            String name,
            int version,
            String about,
            Optional<String> program,
            Optional<String> programVersion,
            Optional<String> secret,
            List<String> missing) {}

    @Override
    void act() throws IOException, ControlException, CliException {
        List<Described> all = new ArrayList<>();
        AgentProfiles profiles = AgentStart.profiles(output.surroundings());
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            SecretsApi.SecretList secrets = warden.secrets();
            for (String name : profiles.names()) {
                all.add(described(profiles.find(name).orElseThrow(), secrets));
            }
        }
        output.answer(all, text(all));
    }

    private Described described(AgentProfile profile, SecretsApi.SecretList secrets)
            throws IOException {
        Optional<FoundProgram> found = AgentStart.find(output.surroundings(), profile);
        Optional<AgentProfile.Login> login = AgentLogin.stored(profile, secrets);
        List<String> missing = new ArrayList<>();
        if (found.isEmpty()) {
            missing.add("Install it: " + profile.program().install());
        }
        if (login.isEmpty() && !profile.logins().isEmpty()) {
            missing.add(AgentLogin.remedy(profile, output));
        }
        return new Described(
                profile.name(),
                profile.version(),
                profile.about(),
                found.map(program -> program.file().toString()),
                found.flatMap(FoundProgram::version),
                login.map(AgentProfile.Login::secret),
                missing);
    }

    private String text(List<Described> all) {
        Table table = new Table("AGENT", "PROGRAM", "VERSION", "SECRET", "WHAT");
        StringBuilder missing = new StringBuilder();
        for (Described agent : all) {
            table.row(
                    agent.name(),
                    agent.program().orElse("not found"),
                    agent.programVersion().orElse("-"),
                    agent.secret().orElse("none"),
                    agent.about());
            if (agent.program().isPresent() && !agent.missing().isEmpty()) {
                missing.append(agent.name())
                        .append(" needs a secret.\n  ")
                        .append(String.join("\n", agent.missing()).replace("\n", "\n  "))
                        .append('\n');
            }
        }
        if (all.stream().allMatch(agent -> agent.program().isEmpty())) {
            all.forEach(
                    agent ->
                            missing.append(agent.name())
                                    .append(" is not installed.\n  ")
                                    .append(agent.missing().getFirst())
                                    .append('\n'));
        }
        return table.render(output.surroundings().outInk()) + missing;
    }
}
