package dev.sallyport.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    /// @param host the only host that gets it; `${region}` in it stands for any region
    /// @param what it is, for a sentence that begins with "needs"
    /// @param source where a person outside has it
    /// @param preset the rules that inject it
    /// @param inside what the agent finds in its place, of a form that it accepts; nothing secret.
    ///   The files replace those of another login
    public record Login(
            String secret, String host, String what, Source source, String preset, Setup inside) {
        /// For the account with this id, which stands in files as `${account}`.
        public Login of(String account) {
            List<Seed> files =
                    inside.files().stream().map(file -> file.with("account", account)).toList();
            Setup its = new Setup(inside.environment(), files);
            return new Login(secret, host, what, source, preset, its);
        }

        /// For a secret of this host; empty when it is not this login's. A region that is in the
        /// host's name stands in variables as `${region}`, and is an option of the preset.
        public Optional<Login> at(String secretHost) {
            if (!host.contains(Presets.REGION)) {
                return host.equals(secretHost) ? Optional.of(this) : Optional.empty();
            }
            String form = Pattern.quote(host).replace(Presets.REGION, "\\E([a-z0-9-]+)\\Q");
            Matcher matcher = Pattern.compile(form).matcher(secretHost);
            if (!matcher.matches() || !Presets.isRegion(matcher.group(1))) {
                return Optional.empty();
            }
            String region = matcher.group(1);
            Map<String, String> environment = new HashMap<>(inside.environment());
            environment.replaceAll((_, value) -> value.replace(Presets.REGION, region));
            Setup its = new Setup(environment, inside.files());
            return Optional.of(
                    new Login(secret, secretHost, what, source, preset + "+" + region, its));
        }

        /// The host for a person to fill in.
        public String hostForm() {
            return host.replace(Presets.REGION, "REGION");
        }
    }

    /// Where a person outside may have the secret of a login.
    ///
    /// @param variable empty when in none
    /// @param file in which it is kept as a document; empty when it is a single value
    /// @param kind of the secret that the document is
    public record Source(String variable, String file, SecretKind kind) {
        public boolean isDocument() {
            return !file.isEmpty();
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
