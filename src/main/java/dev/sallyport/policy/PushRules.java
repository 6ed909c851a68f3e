package dev.sallyport.policy;

import java.util.List;

/// What a push may change. An empty list of branches allows none.
///
/// @param force whether a branch may move to a commit that does not contain its present one, and a
///   tag may move at all
/// @param refsTrusted patterns over full names of refs that vouch for what they reach, as branches
///   and tags always do: what one of them reaches counts as accepted, everything else is judged
/// @param ask which pushes a person is asked about
public record PushRules(
        List<RefPattern> branches,
        boolean force,
        boolean delete,
        boolean tags,
        long packBytesMax,
        ContentRules content,
        List<RefPattern> refsTrusted,
        AskRules ask) {
    private static final long PACK_BYTES_MAX_DEFAULT = 1L << 30;
    private static final String BRANCHES_DEFAULT = "agent/**";

    public PushRules {
        branches = List.copyOf(branches);
        refsTrusted = List.copyOf(refsTrusted);
        if (packBytesMax < 1) {
            throw new IllegalArgumentException("pack-bytes-max is at least 1");
        }
    }

    /// Rules that ask nobody.
    public PushRules(
            List<RefPattern> branches,
            boolean force,
            boolean delete,
            boolean tags,
            long packBytesMax,
            ContentRules content,
            List<RefPattern> refsTrusted) {
        this(branches, force, delete, tags, packBytesMax, content, refsTrusted, AskRules.NONE);
    }

    /// Rules that trust branches and tags alone, and ask nobody.
    public PushRules(
            List<RefPattern> branches,
            boolean force,
            boolean delete,
            boolean tags,
            long packBytesMax,
            ContentRules content) {
        this(branches, force, delete, tags, packBytesMax, content, List.of());
    }

    /// Whether some push may change this ref without anybody being asked, so that nobody may have
    /// seen what it reaches.
    public boolean isUnasked(RefName ref) {
        boolean named = ref.isTag() ? tags : branches.stream().anyMatch(p -> p.matches(ref));
        return named && !ask.covers(ref);
    }

    /// The same, with a question first.
    public PushRules withAsk(AskRules rules) {
        return new PushRules(
                branches, force, delete, tags, packBytesMax, content, refsTrusted, rules);
    }

    /// What a grant of write access means when nobody says more: `agent/**`, no force, no deletes,
    /// no tags.
    public static PushRules standard() {
        return of(List.of(Parsing.known(BRANCHES_DEFAULT, RefPattern::parse)));
    }

    /// What a grant of read access means: nothing can be pushed.
    public static PushRules none() {
        return of(List.of());
    }

    private static PushRules of(List<RefPattern> branches) {
        return new PushRules(
                branches, false, false, false, PACK_BYTES_MAX_DEFAULT, ContentRules.standard());
    }
}
