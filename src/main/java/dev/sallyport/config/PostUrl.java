package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Reach;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where the warden posts something: `url:`, `dial:` and `ca-file:` of an entry in a policy file. A
/// person wrote it, so it may be in a private network.
///
/// @param path with the query
public record PostUrl(HostName host, int port, boolean tls, String path, Reach reach) {
    static final List<String> KEYS = List.of("url", "dial", "ca-file");

    private static final Pattern FORM =
            Pattern.compile("(https?)://([^/?#:@\\[\\]]+)(?::([1-9][0-9]{0,4}))?(/[!-~&&[^#]]*)");
    private static final int PORT_MAX = 65_535;
    private static final List<String> LOOPBACK = List.of("127.0.0.1", "localhost");

    /// Stands for this machine, which has no name that is good elsewhere.
    private static final String HERE = "localhost.localdomain";

    /// @param policy the policy file
    /// @param what it is the URL of, with an article
    static PostUrl read(Path policy, YamlMapping yaml, String what) throws IOException {
        Matcher url = FORM.matcher(yaml.requiredText("url"));
        try {
            if (!url.matches()) {
                throw new MalformedNameException("not a URL");
            }
            boolean tls = url.group(1).equals("https");
            int port = url.group(3) == null ? (tls ? 443 : 80) : Integer.parseInt(url.group(3));
            if (port > PORT_MAX) {
                throw new MalformedNameException("not a port");
            }
            boolean here = !tls && LOOPBACK.contains(url.group(2));
            Optional<String> dial = DialAddress.read(yaml);
            if (here && dial.isEmpty()) {
                dial = Optional.of("127.0.0.1:" + port);
            }
            return new PostUrl(
                    HostName.parse(here ? HERE : url.group(2)),
                    port,
                    tls,
                    url.group(4),
                    new Reach(true, dial, CaFile.read(policy, yaml)));
        } catch (MalformedNameException e) {
            throw yaml.problem(
                    "url",
                    "is not the URL of " + what + ".",
                    "Write it as in https://host.example/path.");
        }
    }

    /// As [#read], for what others must not read on the way.
    static PostUrl readPrivate(Path policy, YamlMapping yaml, String what) throws IOException {
        PostUrl url = read(policy, yaml, what);
        boolean here = url.reach().dial().filter(PostUrl::isLoopback).isPresent();
        if (!url.tls() && !here) {
            throw yaml.problem(
                    "url",
                    "is not encrypted, and not on this machine.",
                    "Use https, or http://127.0.0.1:PORT/ for a program on this machine.");
        }
        return url;
    }

    private static boolean isLoopback(String dial) {
        return dial.startsWith("127.") || dial.startsWith("[::1]:");
    }
}
