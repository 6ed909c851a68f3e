package dev.sallyport.git;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;

/// What may be agreed on for a push. Both directions are an allowlist: upstream's offer is reduced
/// to it, and a sandbox that asks for anything else is refused.
///
/// Left out on purpose: `push-cert`, `object-format` other than sha1, and whatever git invents
/// next. `push-options` (CVE-2026-3854) are offered only where [PushOptions] judges each.
final class Capabilities {
    static final String AGENT = "agent=sallyport/0.1";
    private static final Pattern SANDBOX_AGENT = Pattern.compile("agent=[!-~]{1,256}");
    static final String PUSH_OPTIONS = "push-options";
    private static final String SHA1 = "object-format=sha1";
    private static final String OBJECT_FORMAT = "object-format=";
    private static final Set<String> NAMES =
            Set.of(
                    "report-status",
                    "report-status-v2",
                    "delete-refs",
                    "side-band-64k",
                    "quiet",
                    "atomic",
                    "ofs-delta",
                    SHA1);

    private Capabilities() {}

    /// What the sandbox is offered: upstream's offer without what we do not take part in, and with
    /// `no-thin`, so that every pack is complete in itself and can be judged.
    ///
    /// @param options whether options of a push are judged
    static Set<String> offered(String fromUpstream, boolean options) throws RefusedException {
        Set<String> offer = new LinkedHashSet<>();
        for (String word : fromUpstream.trim().split(" +", -1)) {
            if (word.startsWith(OBJECT_FORMAT) && !word.equals(SHA1)) {
                throw new RefusedException(
                        Refusal.SHA256_NOT_SUPPORTED, "only sha1 repositories are supported");
            }
            if (isKnown(word, options)) {
                offer.add(word);
            }
        }
        if (!offer.contains("report-status")) {
            throw new RefusedException(
                    Refusal.UPSTREAM_MISBEHAVED, "upstream does not report what became of a push");
        }
        offer.add("no-thin");
        offer.add(AGENT);
        return offer;
    }

    private static boolean isKnown(String word, boolean options) {
        return NAMES.contains(word) || (options && word.equals(PUSH_OPTIONS));
    }

    /// What the sandbox asked for. A push whose outcome nobody would be told is refused, because
    /// its refusal would look like success.
    ///
    /// @param options as above
    static Set<String> requested(String fromSandbox, boolean options) throws RefusedException {
        Set<String> wanted = new LinkedHashSet<>();
        for (String word : fromSandbox.trim().split(" +", -1)) {
            if (SANDBOX_AGENT.matcher(word).matches()) {
                continue;
            }
            if (!isKnown(word, options) || !wanted.add(word)) {
                throw new RefusedException(
                        Refusal.MALFORMED_PUSH, "a capability was not offered, or is repeated");
            }
        }
        if (!wanted.contains("report-status") && !wanted.contains("report-status-v2")) {
            throw new RefusedException(Refusal.MALFORMED_PUSH, "a push asks for report-status");
        }
        wanted.add(AGENT);
        return wanted;
    }
}
