package dev.sallyport.cli;

import dev.sallyport.config.Presets;
import dev.sallyport.control.Api;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.TcpTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/// What `run`, `new` and `k8s render` say about the hosts that a sandbox may reach.
final class ReachOptions {
    @Option(
            names = "--allow",
            paramLabel = "HOST[:PORT]",
            description =
                    "Allow a host in addition to egress: in policy.yaml; *.DOMAIN allows its direct subdomains. Repeatable.")
    private List<String> allow = new ArrayList<>();

    @Option(
            names = "--allow-tcp",
            paramLabel = "HOST:PORT",
            description =
                    "Allow any protocol to one port of one host, such as a database. The gateway cannot read it. Repeatable.")
    private List<String> allowTcp = new ArrayList<>();

    @Option(
            names = "--preset",
            paramLabel = "NAME",
            description =
                    "Add a preset, as listed by policy presets, with options: openai+web-search. Repeatable.")
    private List<String> presets = new ArrayList<>();

    @Option(
            names = "--no-egress",
            description =
                    "Do not apply egress: in policy.yaml, nor allow the registries of an agent's project.")
    private boolean noEgress;

    @Option(
            names = "--learn",
            description =
                    "NOT ISOLATED: allow every public host that no rule covers, and record it for policy suggest.")
    private boolean learn;

    /// Whether `egress:` of `policy.yaml` holds.
    boolean appliesRules() {
        return !noEgress;
    }

    /// A gateway grants this to no other host.
    void requireNotLearning() throws CliException {
        if (learn) {
            throw ExitCode.USAGE.because(
                    "bad-option",
                    "--learn: a pod cannot learn.",
                    "Leave out --learn. Name hosts with --allow, or learn in a sandbox on this machine.");
        }
    }

    /// What a gateway would refuse as misspelt is refused here, where the person is.
    void requireWellFormed() throws CliException, IOException {
        for (String preset : presets) {
            if (Presets.find(preset).isEmpty()) {
                throw ExitCode.USAGE.because(
                        "bad-preset",
                        "Unknown preset.",
                        "List them with: sallyport policy presets");
            }
        }
        String asked = "";
        try {
            for (String host : allow) {
                asked = host;
                int colon = host.lastIndexOf(':');
                HostPattern.parse(colon < 0 ? host : host.substring(0, colon));
                if (colon >= 0) {
                    TcpTarget.port(host.substring(colon + 1));
                }
            }
            for (String target : allowTcp) {
                asked = target;
                TcpTarget.parse(target);
            }
        } catch (MalformedNameException e) {
            throw ExitCode.USAGE.because(
                    "bad-host",
                    "Not a host: " + asked + " (" + e.getMessage() + ").",
                    "Leave out scheme and path. Use example.com, *.example.com or example.com:8443; with --allow-tcp always with a port.");
        }
    }

    /// @param implied presets that an agent needs
    /// @param publish ports of the sandbox
    Api.ReachRequest request(Output output, List<String> implied, List<String> publish) {
        if (learn) {
            output.warn(
                    "this sandbox is NOT ISOLATED while it learns: it can reach every public host.");
        }
        return new Api.ReachRequest(
                List.copyOf(allow),
                List.copyOf(presets),
                !noEgress,
                learn,
                implied,
                List.copyOf(allowTcp),
                List.copyOf(publish));
    }
}
