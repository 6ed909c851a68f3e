package dev.sallyport.sandbox;

import dev.sallyport.config.GitSettings;
import dev.sallyport.policy.HostName;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The variables that a command in a sandbox starts with. Nothing is inherited from the host, and
/// nothing in it is secret.
public final class SandboxEnvironment {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final String PATH =
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private SandboxEnvironment() {}

    /// What every runtime sets. `GIT_CONFIG_NOSYSTEM` is deliberately absent: git must read our
    /// system file. Where it is told not to, it takes the address for commits from `EMAIL`, unless
    /// the repository has one, and the name from the account.
    public static SortedMap<String, String> common(SandboxSpec spec) {
        return common(spec.gitHosts(), spec.git(), "/etc/gitconfig");
    }

    /// The same.
    ///
    /// @param gitConfig where our system file is
    static SortedMap<String, String> common(
            Collection<HostName> gitHosts, GitSettings git, String gitConfig) {
        SortedMap<String, String> variables = GitConfig.variables(gitHosts, git);
        variables.put("GIT_TERMINAL_PROMPT", "0");
        variables.put("GIT_CONFIG_SYSTEM", gitConfig);
        variables.put("SALLYPORT", "1");
        variables.put("SALLYPORT_POLICY", "http://gateway.sallyport/policy");
        git.identity().email().ifPresent(email -> variables.put("EMAIL", email));
        return variables;
    }

    /// For a sandbox whose system is the host's, where no image says anything.
    ///
    /// @param person as they are inside
    public static SortedMap<String, String> of(SandboxSpec spec, Person person, boolean tty) {
        SortedMap<String, String> variables = common(spec);
        String name = person.isRoot() ? "root" : SandboxFiles.nameOf(person);
        variables.put("PATH", PATH);
        variables.put("HOME", person.home().toString());
        variables.put("USER", name);
        variables.put("LOGNAME", name);
        variables.put("SHELL", "/bin/bash");
        variables.put("LANG", "C.UTF-8");
        if (tty) {
            variables.put("TERM", "xterm-256color");
        }
        return variables;
    }

    /// Adds what the person chose to pass.
    public static SortedMap<String, String> with(
            SortedMap<String, String> variables, Map<String, String> chosen)
            throws SandboxException {
        SortedMap<String, String> merged = new TreeMap<>(variables);
        for (Map.Entry<String, String> variable : chosen.entrySet()) {
            if (!NAME.matcher(variable.getKey()).matches()) {
                throw new SandboxException(
                        "an environment variable has an invalid name. Use letters, digits and underscores.");
            }
            if (variable.getValue().indexOf('\0') >= 0) {
                throw new SandboxException(
                        "the environment variable "
                                + variable.getKey()
                                + " contains a NUL character. Remove it.");
            }
            merged.put(variable.getKey(), variable.getValue());
        }
        return merged;
    }
}
