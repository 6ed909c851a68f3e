package dev.sallyport.warden;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/// The variables by which clients of a hosting service's API find out in a sandbox that they need
/// no login, whom to ask, and that they should not ask anybody else. Nothing in them is secret: the
/// token is one that every sandbox has.
final class ApiVariables {
    private ApiVariables() {}

    /// None where no API is granted.
    ///
    /// @param tty whether a person can answer a question
    static SortedMap<String, String> of(Policy policy, boolean tty) {
        SortedSet<HostName> hosts = policy.apiHosts();
        SortedMap<String, String> variables = new TreeMap<>();
        if (hosts.isEmpty()) {
            return variables;
        }
        variables.put("GH_TOKEN", ApiHost.PLACEHOLDER);
        variables.put("GITHUB_TOKEN", ApiHost.PLACEHOLDER);
        variables.put("GITHUB_PERSONAL_ACCESS_TOKEN", ApiHost.PLACEHOLDER);
        if (hosts.stream().anyMatch(host -> !ApiHost.of(host).isApart())) {
            variables.put("GH_ENTERPRISE_TOKEN", ApiHost.PLACEHOLDER);
        }
        if (hosts.size() == 1 && !ApiHost.isUsual(hosts.first())) {
            variables.put("GH_HOST", hosts.first().value());
        }
        variables.put("GH_NO_UPDATE_NOTIFIER", "1");
        variables.put("GH_NO_EXTENSION_UPDATE_NOTIFIER", "1");
        variables.put("GH_TELEMETRY", "false");
        variables.put("DO_NOT_TRACK", "1");
        variables.put("GH_SPINNER_DISABLED", "1");
        if (!tty) {
            variables.put("GH_PROMPT_DISABLED", "1");
        }
        return variables;
    }
}
