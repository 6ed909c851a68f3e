package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.MalformedNameException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Makes [EgressRule]s from `egress:` in a policy file.
final class EgressRulesReader {
    private EgressRulesReader() {}

    static List<EgressRule> read(Path file, List<YamlMapping> entries) throws ConfigException {
        List<EgressRule> rules = new ArrayList<>();
        for (YamlMapping entry : entries) {
            entry.requireOnly(List.of("host"));
            try {
                HostPattern host = HostPattern.parse(entry.requiredText("host"));
                rules.add(EgressRule.tunnel(host, entry.place()));
            } catch (MalformedNameException e) {
                throw entry.problem(
                        "host", "is not a host: " + e.getMessage() + ".", "Write example.com.");
            }
        }
        return rules;
    }
}
