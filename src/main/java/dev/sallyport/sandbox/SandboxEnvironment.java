package dev.sallyport.sandbox;

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
    /// system file. Commits are not signed, also where the workspace's own configuration asks for
    /// it: there is no key inside, and each commit would fail.
    public static SortedMap<String, String> common() {
        return new TreeMap<>(
                Map.of(
                        "GIT_TERMINAL_PROMPT", "0",
                        "GIT_CONFIG_SYSTEM", "/etc/gitconfig",
                        "GIT_CONFIG_COUNT", "2",
                        "GIT_CONFIG_KEY_0", "commit.gpgSign",
                        "GIT_CONFIG_VALUE_0", "false",
                        "GIT_CONFIG_KEY_1", "tag.gpgSign",
                        "GIT_CONFIG_VALUE_1", "false",
                        "SALLYPORT", "1",
                        "SALLYPORT_POLICY", "http://gateway.sallyport/policy"));
    }

    /// For a sandbox whose system is the host's, where no image says anything.
    public static SortedMap<String, String> of(Person person, boolean tty) {
        SortedMap<String, String> variables = common();
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
