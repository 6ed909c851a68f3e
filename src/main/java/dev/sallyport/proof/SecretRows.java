package dev.sallyport.proof;

import dev.sallyport.policy.ApiHost;
import dev.sallyport.push.SecretFinding;
import dev.sallyport.push.SecretScanner;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// What looks like a credential where Sallyport itself could have put one. What the person's
/// workspace or image holds is not looked at.
record SecretRows(Subject subject, Testimony inside) {
    private static final Pattern SECRETIVE =
            Pattern.compile(
                    "(?i).*(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE_KEY).*");

    List<Row> rows() {
        return List.of(environment(), firstEnvironment(), files(), gitConfig());
    }

    /// That our own variable is seen shows that the probe can see any.
    private Row environment() {
        Set<String> names = suspects(inside.text("environ"));
        boolean control = variables(inside.text("environ")).contains("SALLYPORT=1");
        return Row.of(
                "environment of a command",
                "no credential, and SALLYPORT=1 is set",
                control && names.isEmpty(),
                !names.isEmpty()
                        ? String.join(" ", names)
                        : control
                                ? "none in " + variables(inside.text("environ")).size()
                                : "SALLYPORT is not set");
    }

    /// As the kernel shows it from outside, too, because inside it may be hidden.
    private Row firstEnvironment() {
        String text = inside.text("environ1") + "\0" + Outside.text(subject, "environ");
        Set<String> names = suspects(text);
        int count = variables(text).size();
        return Row.of(
                "/proc/1/environ",
                "no credential",
                names.isEmpty(),
                names.isEmpty()
                        ? count == 0 ? "nothing to read" : "none in " + count
                        : String.join(" ", names));
    }

    private Row files() {
        Set<String> found = new TreeSet<>(rules(inside.text("gitconfig") + inside.text("files")));
        return Row.of(
                "gitconfig, resolv.conf, hosts",
                "no credential",
                found.isEmpty(),
                found.isEmpty() ? "none" : String.join(" ", found));
    }

    private Row gitConfig() {
        List<String> wrong = new ArrayList<>();
        String text = inside.text("gitconfig");
        if (!text.contains("allow = never")) {
            wrong.add("not written by Sallyport");
        }
        for (String host : subject.gitHosts()) {
            if (!text.contains("[url \"http://" + host + "/\"]")) {
                wrong.add(host + " is not rewritten");
            }
        }
        return Row.of(
                "git's configuration",
                "points to the gateway for " + subject.gitHosts().size() + " hosts",
                wrong.isEmpty(),
                wrong.isEmpty() ? "it does" : String.join(", ", wrong));
    }

    private static List<String> variables(String environment) {
        return List.of(environment.split("\0")).stream()
                .map(String::strip)
                .filter(variable -> variable.contains("="))
                .toList();
    }

    /// Names only: what looks like a secret is not printed. The placeholder that clients of an API
    /// have in every sandbox is none.
    private static Set<String> suspects(String environment) {
        Set<String> names = new TreeSet<>();
        for (String variable : variables(environment)) {
            String name = variable.substring(0, variable.indexOf('='));
            if (variable.endsWith("=" + ApiHost.PLACEHOLDER)) {
                continue;
            }
            if (SECRETIVE.matcher(name).matches() || !rules(variable).isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }

    private static List<String> rules(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        try {
            return SecretScanner.standard().find(new ByteArrayInputStream(bytes)).stream()
                    .map(SecretFinding::rule)
                    .toList();
        } catch (IOException e) {
            return List.of("cannot be scanned");
        }
    }
}
