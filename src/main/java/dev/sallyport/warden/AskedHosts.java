package dev.sallyport.warden;

import dev.sallyport.policy.EgressRule;
import java.util.ArrayList;
import java.util.List;

/// Hosts that a person allowed to a sandbox one connection at a time.
final class AskedHosts {
    private static final String ORIGIN = "allow --ask";

    /// Those that are allowed already would not ask, whatever comes after.
    ///
    /// @param before the rules that are asked first
    static List<EgressRule> of(List<EgressRule> hosts, List<EgressRule> before)
            throws OperationException {
        List<EgressRule> decided = before.stream().filter(rule -> !rule.ask()).toList();
        for (EgressRule rule : hosts) {
            if (ReachRequests.isCovered(rule, decided)) {
                throw OperationException.invalid(
                        rule.host() + " is allowed already, without asking.", "Leave it out.");
            }
        }
        return hosts.stream().map(rule -> rule.asking(ORIGIN)).toList();
    }

    /// They come after all others, so that a host that was asked about can be allowed without. What
    /// was allowed twice is there once.
    static List<EgressRule> last(List<EgressRule> rules) {
        List<EgressRule> sorted = new ArrayList<>();
        rules.stream().filter(rule -> !rule.ask()).distinct().forEach(sorted::add);
        rules.stream().filter(EgressRule::ask).distinct().forEach(sorted::add);
        return sorted;
    }
}
