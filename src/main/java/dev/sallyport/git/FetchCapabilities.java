package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// What may be agreed on for a fetch by a session that sees only some refs. Both directions are an
/// allowlist.
///
/// Left out on purpose: `include-tag`, with which upstream sends tags that nobody asked for, hidden
/// ones too.
final class FetchCapabilities {
    /// Tells which ref `HEAD` stands for.
    static final String HEAD_TARGET = "symref=HEAD:";

    private static final Pattern SANDBOX_WORD =
            Pattern.compile("(agent|session-id)=[!-~]{1,256}|include-tag");
    private static final Set<String> NAMES =
            Set.of(
                    "multi_ack",
                    "multi_ack_detailed",
                    "no-done",
                    "thin-pack",
                    "side-band",
                    "side-band-64k",
                    "ofs-delta",
                    "shallow",
                    "deepen-since",
                    "deepen-not",
                    "deepen-relative",
                    "no-progress",
                    "allow-tip-sha1-in-want",
                    "allow-reachable-sha1-in-want",
                    "filter",
                    "object-format=sha1");

    private FetchCapabilities() {}

    /// @param shown whether a ref of this name is visible
    static Set<String> offered(String fromUpstream, Predicate<String> shown)
            throws RefusedException {
        Set<String> offer = new LinkedHashSet<>();
        for (String word : fromUpstream.trim().split(" +", -1)) {
            if (word.startsWith("object-format=") && !NAMES.contains(word)) {
                throw new RefusedException(
                        Refusal.SHA256_NOT_SUPPORTED, "only sha1 repositories are supported");
            }
            boolean visibleHead =
                    word.startsWith(HEAD_TARGET)
                            && shown.test(word.substring(HEAD_TARGET.length()));
            if (NAMES.contains(word) || visibleHead) {
                offer.add(word);
            }
        }
        offer.add(Capabilities.AGENT);
        return offer;
    }

    /// What a sandbox asked for, less what would go around the filter.
    static Set<String> requested(String fromSandbox) throws RefusedException {
        Set<String> wanted = new LinkedHashSet<>();
        for (String word : fromSandbox.trim().split(" +", -1)) {
            if (word.isEmpty() || SANDBOX_WORD.matcher(word).matches()) {
                continue;
            }
            if (!NAMES.contains(word)) {
                throw new RefusedException(Refusal.BAD_REQUEST, "a capability was not offered");
            }
            wanted.add(word);
        }
        wanted.add(Capabilities.AGENT);
        return wanted;
    }
}
