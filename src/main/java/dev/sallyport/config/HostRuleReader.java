package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.TcpTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Makes an [EgressRule] from one `host:` or `tcp:` entry of `egress:`.
///
/// @param policyFile beside which a `ca-file` lies; absent where a rule cannot name another file,
///   because whoever trusted the one did not see the other
record HostRuleReader(Optional<Path> policyFile) {
    static final List<String> KEYS =
            Stream.concat(
                            Stream.of("host", "ports", "private-addresses", "dial", "ca-file"),
                            InspectionReader.KEYS.stream())
                    .toList();

    static final String TCP = "tcp";

    private static final List<String> TCP_KEYS = List.of(TCP, "private-addresses", "dial");

    private static final int PORT_MAX = 65_535;

    /// A secret is never sent in clear text, so the other port would only refuse.
    private static final Set<Integer> TLS_PORT = Set.of(443);

    /// @param origin where the rule was written, for people
    EgressRule read(YamlMapping entry, String origin) throws IOException {
        entry.requireOnly(KEYS);
        HostPattern host = host(entry);
        Optional<Inspection> inspection = InspectionReader.read(entry, host);
        Reach reach =
                new Reach(
                        entry.flag("private-addresses").orElse(false),
                        DialAddress.read(entry),
                        certificates(entry, inspection));
        return new EgressRule(host, ports(entry, inspection), reach, inspection, origin);
    }

    /// A tunnel for any protocol.
    EgressRule readTcp(YamlMapping entry, String origin) throws ConfigException {
        entry.requireOnly(TCP_KEYS);
        try {
            TcpTarget target = TcpTarget.parse(entry.requiredText(TCP));
            HostLimits.require(target.host());
            Reach reach =
                    new Reach(
                            entry.flag("private-addresses").orElse(false),
                            DialAddress.read(entry),
                            Optional.empty());
            return EgressRule.tcp(target.host(), target.port(), reach, origin);
        } catch (MalformedNameException e) {
            throw entry.problem(
                    TCP,
                    "cannot be used: " + e.getMessage() + ".",
                    "Write one host and one port, as in db.example.com:5432.");
        }
    }

    private static HostPattern host(YamlMapping entry) throws ConfigException {
        if (!entry.has("host")) {
            throw entry.problem("host", "is missing.", "Add it, or write preset: or tcp: instead.");
        }
        try {
            HostPattern host = HostPattern.parse(entry.requiredText("host"));
            HostLimits.require(host);
            return host;
        } catch (MalformedNameException e) {
            throw entry.problem(
                    "host",
                    "cannot be used: " + e.getMessage() + ".",
                    "Write it as in api.example.com, \"*.example.com\" or \"**.example.com\".");
        }
    }

    private static SortedSet<Integer> ports(YamlMapping entry, Optional<Inspection> inspection)
            throws ConfigException {
        Optional<List<Long>> ports = entry.numbers("ports", 1, PORT_MAX);
        if (ports.isPresent()) {
            return new TreeSet<>(ports.get().stream().map(Math::toIntExact).toList());
        }
        boolean injects = inspection.flatMap(Inspection::injection).isPresent();
        return new TreeSet<>(injects ? TLS_PORT : EgressRule.PORTS);
    }

    private Optional<String> certificates(YamlMapping entry, Optional<Inspection> inspection)
            throws IOException {
        if (!entry.has("ca-file")) {
            return Optional.empty();
        }
        if (inspection.isEmpty()) {
            throw entry.problem(
                    "ca-file",
                    "has no effect on a tunnel: the sandbox itself checks the certificate.",
                    "Add inspect: true, or remove it.");
        }
        if (policyFile.isEmpty()) {
            throw entry.problem(
                    "ca-file",
                    "is not allowed here: trusting this file does not cover that one.",
                    "Move the rule to the policy file.");
        }
        return CaFile.read(policyFile.get(), entry);
    }
}
