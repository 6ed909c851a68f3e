package dev.sallyport.workspace;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Where a configuration makes git fetch from and push to. Agents add remotes all day, so nothing
/// is moved aside because of one. The person is told when an earlier one leads elsewhere, or a new
/// one to a host that none led to.
final class Remotes {
    private static final Set<String> KEYS =
            Set.of(
                    "branch.pushremote",
                    "branch.remote",
                    "lfs.pushurl",
                    "lfs.url",
                    "remote.lfspushurl",
                    "remote.lfsurl",
                    "remote.pushdefault",
                    "remote.pushurl",
                    "remote.url",
                    "url.insteadof",
                    "url.pushinsteadof");

    private static final Pattern HOST =
            Pattern.compile("([^:/?#]+://)?([^/?#]*@)?(?<host>\\[[^]]*]|[^:/?#]*)");

    private Remotes() {}

    /// The names of entries.
    static Set<String> changed(Trigger.Original before, Trigger.Original now) {
        List<GitConfigText.Entry> earlier = entries(before);
        Set<String> known = new HashSet<>(earlier.stream().map(Remotes::thing).toList());
        earlier.forEach(entry -> host(entry).ifPresent(known::add));
        return entries(now).stream()
                .filter(entry -> !earlier.contains(entry))
                .filter(
                        entry ->
                                known.contains(thing(entry))
                                        || host(entry)
                                                .filter(host -> !known.contains(host))
                                                .isPresent()
                                        || entry.section().equals("url")
                                        || entry.key().equals("pushdefault"))
                .map(WorkspaceCredentials::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<GitConfigText.Entry> entries(Trigger.Original file) {
        try {
            return GitConfigText.parse(file.text()).stream()
                    .filter(entry -> KEYS.contains(entry.section() + "." + entry.key()))
                    .toList();
        } catch (GitConfigText.MalformedException e) {
            return List.of();
        }
    }

    /// One remote, or one branch. No host has such a name.
    private static String thing(GitConfigText.Entry entry) {
        return entry.section() + "/" + entry.subsection();
    }

    private static Optional<String> host(GitConfigText.Entry entry) {
        String url = entry.section().equals("url") ? entry.subsection() : entry.value();
        Matcher matcher = HOST.matcher(url);
        return HostGit.isLocal(url) || !matcher.lookingAt()
                ? Optional.empty()
                : Optional.of(matcher.group("host").toLowerCase(Locale.ROOT));
    }
}
