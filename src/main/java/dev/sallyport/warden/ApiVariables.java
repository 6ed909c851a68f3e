package dev.sallyport.warden;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// The variables by which clients of a hosting service's API find out in a sandbox that they need
/// no login, whom to ask, and that they should not ask anybody else. Nothing in them is secret: the
/// token is one that every sandbox has.
final class ApiVariables {
    /// None where no API is granted.
    ///
    /// @param tty whether a person can answer a question
    static SortedMap<String, String> of(Policy policy, boolean tty) {
        SortedMap<String, String> variables = new TreeMap<>();
        for (Forge forge : Forge.values()) {
            SortedSet<HostName> hosts = new TreeSet<>(policy.apis().keySet());
            hosts.removeIf(host -> policy.forge(host) != forge);
            if (!hosts.isEmpty()) {
                variables.put("DO_NOT_TRACK", "1");
                variables.putAll(of(forge, hosts, tty));
            }
        }
        return variables;
    }

    private static SortedMap<String, String> of(
            Forge forge, SortedSet<HostName> hosts, boolean tty) {
        return switch (forge) {
            case GITHUB -> github(hosts, tty);
            case GITLAB -> gitlab(hosts, tty);
            case GITEA -> gitea(hosts);
        };
    }

    private static SortedMap<String, String> gitlab(SortedSet<HostName> hosts, boolean tty) {
        SortedMap<String, String> variables = new TreeMap<>();
        variables.put("GITLAB_TOKEN", ApiHost.PLACEHOLDER);
        if (hosts.size() == 1) {
            variables.put("GITLAB_HOST", hosts.first().value());
        }
        variables.put("GLAB_CHECK_UPDATE", "false");
        variables.put("GLAB_SEND_TELEMETRY", "false");
        if (!tty) {
            variables.put("NO_PROMPT", "true");
        }
        return variables;
    }

    /// One server can be named, by one name for commands and another for `tea login add`.
    private static SortedMap<String, String> gitea(SortedSet<HostName> hosts) {
        SortedMap<String, String> variables = new TreeMap<>();
        variables.put("GITEA_TOKEN", ApiHost.PLACEHOLDER);
        variables.put("GITEA_SERVER_TOKEN", ApiHost.PLACEHOLDER);
        if (hosts.size() == 1) {
            variables.put("GITEA_INSTANCE_URL", "https://" + hosts.first());
            variables.put("GITEA_SERVER_URL", "https://" + hosts.first());
        }
        return variables;
    }

    private static SortedMap<String, String> github(SortedSet<HostName> hosts, boolean tty) {
        SortedMap<String, String> variables = new TreeMap<>();
        variables.put("GITHUB_PERSONAL_ACCESS_TOKEN", ApiHost.PLACEHOLDER);
        // With one of these gh takes itself for logged in at github.com, too.
        if (hosts.stream().anyMatch(host -> ApiHost.of(host).isApart())) {
            variables.put("GH_TOKEN", ApiHost.PLACEHOLDER);
            variables.put("GITHUB_TOKEN", ApiHost.PLACEHOLDER);
        }
        if (hosts.stream().anyMatch(host -> !ApiHost.of(host).isApart())) {
            variables.put("GH_ENTERPRISE_TOKEN", ApiHost.PLACEHOLDER);
        }
        if (hosts.size() == 1 && !ApiHost.isUsual(hosts.first())) {
            variables.put("GH_HOST", hosts.first().value());
        }
        variables.put("GH_NO_UPDATE_NOTIFIER", "1");
        variables.put("GH_NO_EXTENSION_UPDATE_NOTIFIER", "1");
        variables.put("GH_TELEMETRY", "false");
        variables.put("GH_SPINNER_DISABLED", "1");
        if (!tty) {
            variables.put("GH_PROMPT_DISABLED", "1");
        }
        return variables;
    }
}
