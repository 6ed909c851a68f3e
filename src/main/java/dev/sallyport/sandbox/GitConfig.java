package dev.sallyport.sandbox;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.GitSettings;
import dev.sallyport.policy.HostName;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The system-wide git configuration of a sandbox: URLs lead to the gateway, and nothing that git
/// could run or reach by itself is left on.
///
/// A git host keeps its name: programs such as `gh` ask git for the address of a remote, which git
/// tells them as rewritten here, and look for a host that they know in it.
///
/// It makes git work and fail early; it is not a boundary. A process in the sandbox may override it
/// and gains nothing, because there is no route to anything else.
final class GitConfig {
    /// A directory that has no hooks but the one that pushes large files, if git-lfs is inside, so
    /// nothing of a repository runs. A repository may name a directory of its own, as husky's do,
    /// and git prefers that to a file of the system, so a variable names this one. A program that
    /// installs hooks can write there, as git-lfs does each time it is used; `/dev/null` gave such
    /// programs an error that nobody could explain.
    static final String NO_HOOKS = LargeFileSupport.DIRECTORY + "/hooks";

    private static final String SAFE =
            """
            [core]
            	fsmonitor = false
            	sshCommand = /bin/false
            	askPass =
            [credential]
            	helper =
            [protocol]
            	allow = never
            [protocol "http"]
            	allow = always
            [protocol "https"]
            	allow = always
            [protocol "ext"]
            	allow = never
            [protocol "ssh"]
            	allow = never
            [protocol "git"]
            	allow = never
            [http]
            	followRedirects = false
            [http "http://gateway.sallyport/"]
            	proxy =
            [safe]
            	directory = *
            [submodule]
            	recurse = false
            [transfer]
            	bundleURI = false
            """;

    static String of(Collection<HostName> gitHosts, GitSettings settings) {
        StringBuilder text = new StringBuilder(SAFE);
        text.append("[protocol \"file\"]\n\tallow = ");
        text.append(settings.localClones() ? "always\n" : "never\n");
        if (!settings.hooks()) {
            text.append("[core]\n\thooksPath = ").append(NO_HOOKS).append('\n');
        }
        text.append("[include]\n\tpath = ").append(LargeFileSupport.CONFIG).append('\n');
        GitIdentity identity = settings.identity();
        identity.name().ifPresent(name -> set(text, "user", "name", name));
        identity.email().ifPresent(email -> set(text, "user", "email", email));
        identity.defaultBranch().ifPresent(branch -> set(text, "init", "defaultBranch", branch));
        if (settings.rewrite()) {
            gitHosts.forEach(host -> text.append(rewriting(host)));
        }
        return text.toString();
    }

    private static void set(StringBuilder text, String section, String key, String value) {
        String quoted = value.replace("\\", "\\\\").replace("\"", "\\\"");
        text.append("[%s]\n\t%s = \"%s\"\n".formatted(section, key, quoted));
    }

    private static String rewriting(HostName host) {
        StringBuilder text = new StringBuilder("[url \"%s\"]\n".formatted(place(host)));
        spellings(host).forEach(url -> text.append("\tinsteadOf = ").append(url).append('\n'));
        return text.append("[http \"%s\"]\n\tproxy =\n".formatted(place(host))).toString();
    }

    /// Where the gateway answers for a host.
    private static String place(HostName host) {
        return "http://" + host + "/";
    }

    /// How the URLs of a host begin.
    private static List<String> spellings(HostName host) {
        return Stream.of("https://%s/", "git@%s:", "ssh://git@%s/")
                .map(form -> form.formatted(host))
                .toList();
    }

    /// What holds whatever a repository says, and for those that turn git's files off, as an agent
    /// does for the commands of its model. Commits are not signed: there is no key inside, and each
    /// would fail.
    static SortedMap<String, String> variables(
            Collection<HostName> gitHosts, GitSettings settings) {
        SortedMap<String, String> variables = new TreeMap<>();
        add(variables, "commit.gpgSign", "false");
        add(variables, "tag.gpgSign", "false");
        add(variables, "safe.directory", "*");
        add(variables, "include.path", LargeFileSupport.CONFIG);
        if (!settings.hooks()) {
            add(variables, "core.hooksPath", NO_HOOKS);
        }
        if (settings.rewrite()) {
            for (HostName host : gitHosts) {
                String key = "url." + place(host) + ".insteadOf";
                spellings(host).forEach(url -> add(variables, key, url));
                add(variables, "http." + place(host) + ".proxy", "");
            }
        }
        variables.put("GIT_CONFIG_COUNT", Integer.toString(variables.size() / 2));
        return variables;
    }

    private static void add(Map<String, String> variables, String key, String value) {
        int number = variables.size() / 2;
        variables.put("GIT_CONFIG_KEY_" + number, key);
        variables.put("GIT_CONFIG_VALUE_" + number, value);
    }
}
