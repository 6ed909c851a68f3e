package dev.sallyport.fleet;

import dev.sallyport.config.TrustedFiles;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;

/// A pod, as the cluster's API has vouched for it.
///
/// @param namespace where it is
/// @param account its service account
/// @param name not unique over time; for people
/// @param uid no other pod ever has
public record Pod(String namespace, String account, String name, String uid) {
    /// Of what pods are called as hosts, and no machine is.
    static final String PREFIX = "pod-";

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
    private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{8,64}");
    private static final int NAME_CHARS = 40;
    private static final int UID_CHARS = 12;

    /// @throws IllegalArgumentException for what a cluster does not call a pod
    public Pod {
        if (!LABEL.matcher(namespace).matches()
                || !NAME.matcher(account).matches()
                || !NAME.matcher(name).matches()
                || !UID.matcher(uid).matches()) {
            throw new IllegalArgumentException("this is not a pod");
        }
    }

    /// Whether a host of this name is a pod.
    public static boolean isHostName(String name) {
        return name.startsWith(PREFIX);
    }

    /// As it stands in a policy file.
    public String accountName() {
        return namespace + "/" + account;
    }

    /// What it is called as a host: the name tells people which one it is, the rest tells it from a
    /// later pod of that name.
    public String hostName() {
        String plain = name.toLowerCase(Locale.ROOT).replace('.', '-');
        String digest = TrustedFiles.digest(uid.getBytes(StandardCharsets.US_ASCII));
        return PREFIX
                + plain.substring(0, Math.min(plain.length(), NAME_CHARS))
                + "-"
                + digest.substring(0, UID_CHARS);
    }
}
