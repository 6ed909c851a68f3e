package dev.sallyport.sandbox;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.GitSettings;
import dev.sallyport.policy.HostName;
import java.util.Collection;

/// The system-wide git configuration of a sandbox: URLs lead to the gateway, and nothing that git
/// could run or reach by itself is left on.
///
/// A git host keeps its name: programs such as `gh` ask git for the address of a remote, which git
/// tells them as rewritten here, and look for a host that they know in it.
///
/// It makes git work and fail early; it is not a boundary. A process in the sandbox may override it
/// and gains nothing, because there is no route to anything else.
final class GitConfig {
    /// A directory that does not exist, so nothing runs. A program that installs hooks can make it;
    /// `/dev/null` gave such programs an error that nobody could explain.
    static final String NO_HOOKS = "/tmp/sallyport-git-hooks-are-off";

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

    private GitConfig() {}

    static String of(Collection<HostName> gitHosts, GitSettings settings) {
        StringBuilder text = new StringBuilder(SAFE);
        text.append("[protocol \"file\"]\n\tallow = ");
        text.append(settings.localClones() ? "always\n" : "never\n");
        if (!settings.hooks()) {
            text.append("[core]\n\thooksPath = ").append(NO_HOOKS).append('\n');
        }
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
        return """
               [url "http://%1$s/"]
               	insteadOf = https://%1$s/
               	insteadOf = git@%1$s:
               	insteadOf = ssh://git@%1$s/
               [http "http://%1$s/"]
               	proxy =
               """
                .formatted(host);
    }
}
