package dev.sallyport.config;

import java.util.List;
import java.util.Map;

/// What one agent needs to start in a sandbox as it does outside. All of it could be said with
/// options of `run`: a profile gives no right that a person could not give by hand.
///
/// @param version counts the changes of what it says
/// @param about whose agent it is, in one line
/// @param presets what it reaches besides its model
/// @param logins the ways in which it can prove itself to its model; the first whose secret is
///   stored is used
public record AgentProfile(
        String name,
        int version,
        String about,
        Program program,
        List<String> presets,
        List<Login> logins,
        Setup setup) {
    public AgentProfile {
        presets = List.copyOf(presets);
        logins = List.copyOf(logins);
    }

    /// How its program is found on the host.
    ///
    /// @param file as one types it
    /// @param npm the package that brings it along; empty when none does
    /// @param install the command that installs it
    public record Program(String file, String npm, String install) {}

    /// One way to prove itself.
    ///
    /// @param secret the name under which a person stores it
    /// @param host the only host that gets it
    /// @param what it is, for a sentence that begins with "needs"
    /// @param preset the rules that inject it
    /// @param variable what a person outside may have it in; the agent gets the placeholder in it
    /// @param placeholder of a form that the agent accepts; nothing secret
    /// @param environment further variables that go with it
    public record Login(
            String secret,
            String host,
            String what,
            String preset,
            String variable,
            String placeholder,
            Map<String, String> environment) {
        public Login {
            environment = Map.copyOf(environment);
        }
    }

    /// What it finds inside.
    ///
    /// @param files in whose content `${workspace}` stands for the workspace's path, as within the
    ///   quotes of JSON or TOML
    public record Setup(Map<String, String> environment, List<Seed> files) {
        public Setup {
            environment = Map.copyOf(environment);
            files = List.copyOf(files);
        }
    }
}
