package dev.sallyport.config;

import dev.sallyport.policy.EgressRule;
import java.util.List;

/// What `egress:` of a file comes to on one machine.
///
/// @param warnings what a person may want to know and nothing fails for
record EgressRules(List<EgressRule> rules, List<String> warnings) {
    EgressRules {
        rules = List.copyOf(rules);
        warnings = List.copyOf(warnings);
    }
}
