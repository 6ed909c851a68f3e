package dev.sallyport.fleet;

import dev.sallyport.config.ConfigException;
import java.util.regex.Pattern;

/// What people call a host or a gateway; it is also the name of a file.
final class MachineName {
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    static boolean isOne(String text) {
        return FORM.matcher(text).matches();
    }

    /// @param what it is to name, with an article
    static String require(String text, String what) throws ConfigException {
        if (!isOne(text)) {
            throw new ConfigException(
                    "This is not a name for " + what + ".",
                    "Use up to 63 lower-case letters, digits and hyphens.");
        }
        return text;
    }
}
