package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.UrlPath;
import dev.sallyport.policy.UrlPattern;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A host that a person's own tool gets things from: of its address, all that is no credential.
///
/// @param below what is below the path of the address; absent when that is the root
/// @param place where it is written, as `file:line`
record ToolHost(HostName host, int port, Optional<UrlPattern> below, String place) {
    private static final int LENGTH_MAX = 2_048;
    private static final int PORT_MAX = 65_535;

    /// User name, password, query and fragment are matched to be left out.
    private static final Pattern ADDRESS =
            Pattern.compile(
                    "(https?)://(?:[^/?#\\s]*@)?([^/?#@:\\[\\]\\s]+)(?::([0-9]{1,5}))?(/[^?#\\s]*)?(?:[?#]\\S*)?");

    /// Some hosts take a token as a part of the path. The rules of a sandbox can be read inside it,
    /// so a path that could hold one is not made a rule of.
    private static final Pattern CREDENTIAL =
            Pattern.compile(
                    "(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{16,}|[0-9]{16,}"
                            + "|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    /// Says why in words that hold nothing of the address.
    static ToolHost parse(String address, String place) throws MalformedNameException {
        Matcher matcher = ADDRESS.matcher(address);
        if (address.length() > LENGTH_MAX || !matcher.matches()) {
            throw new MalformedNameException("it is not a plain http or https address");
        }
        int standard = matcher.group(1).equals("https") ? 443 : 80;
        String port = matcher.group(3);
        int number = port == null ? standard : Integer.parseInt(port);
        if (number < 1 || number > PORT_MAX) {
            throw new MalformedNameException("it has no port between 1 and 65535");
        }
        HostName host = HostName.parse(matcher.group(2).toLowerCase(Locale.ROOT));
        String path = matcher.group(4);
        return new ToolHost(host, number, path == null ? Optional.empty() : below(path), place);
    }

    private static Optional<UrlPattern> below(String path) throws MalformedNameException {
        String prefix = path.replaceFirst("/+$", "");
        if (prefix.isEmpty()) {
            return Optional.empty();
        }
        UrlPath.parse(prefix);
        if (prefix.indexOf('*') >= 0) {
            throw new MalformedNameException("its path has a wildcard");
        }
        if (CREDENTIAL.matcher(prefix).find()) {
            throw new MalformedNameException("its path has what could be a credential");
        }
        return Optional.of(UrlPattern.parse(prefix + "/**"));
    }
}
