package dev.sallyport.relay;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a git host says that a file is. Read strictly, since nobody rewrites what goes there:
/// `https` on its own port, no user, a path.
///
/// @param target path and query, which is a credential for this one file
public record StorePlace(HostName host, String target) {
    private static final int LENGTH_MAX = 8_192;
    private static final Pattern FORM =
            Pattern.compile("https://([a-z0-9.-]{1,253})(?::443)?(/[!-~&&[^#\\\\<>\"^`{|}]]*)");

    public static Optional<StorePlace> parse(String location) {
        Matcher form = FORM.matcher(location);
        if (location.length() > LENGTH_MAX || !form.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new StorePlace(HostName.parse(form.group(1)), form.group(2)));
        } catch (MalformedNameException _) {
            return Optional.empty();
        }
    }
}
