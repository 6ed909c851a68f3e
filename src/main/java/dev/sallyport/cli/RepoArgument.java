package dev.sallyport.cli;

import dev.sallyport.config.GitHost;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.Word;
import dev.sallyport.workspace.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A repository as people write it after `--repo` and `--clone`: `[HOST/]OWNER/NAME`, or the URL
/// that a browser or `git remote` shows, either with `:read` or `:write` behind it. What is in a
/// URL besides the repository, such as a user, is dropped.
///
/// @param name without the access
/// @param access `:read`, `:write` or nothing
record RepoArgument(String name, String access) {
    private static final Pattern ACCESS = Pattern.compile("(?<name>.+?)(?<access>:(read|write))?");
    private static final Pattern URL = Pattern.compile("[a-z]+://.*|[^/:]+:.*/.*");

    /// Only URLs are looked at here; what any other text means is for the warden to say.
    static RepoArgument parse(String text) throws MalformedNameException {
        Matcher matcher = ACCESS.matcher(text);
        if (!URL.matcher(text).matches() || !matcher.matches()) {
            int colon = text.lastIndexOf(':');
            return colon < 0
                    ? new RepoArgument(text, "")
                    : new RepoArgument(text.substring(0, colon), text.substring(colon));
        }
        String access = matcher.group("access");
        RepoName repo = ofUrl(matcher.group("name"));
        return new RepoArgument(
                repo.host() + "/" + repo.owner() + "/" + repo.name(), access == null ? "" : access);
    }

    static List<RepoArgument> all(List<String> texts) throws CliException {
        List<RepoArgument> all = new ArrayList<>();
        for (String text : texts) {
            try {
                all.add(parse(text));
            } catch (MalformedNameException e) {
                throw malformed(e);
            }
        }
        return all;
    }

    private static CliException malformed(MalformedNameException why) {
        return ExitCode.USAGE.because(
                "bad-repo",
                "Not a repository: " + why.getMessage() + ".",
                "Write it as [host/]owner/name[:read|:write], or as its URL.");
    }

    private static RepoName ofUrl(String url) throws MalformedNameException {
        return switch (Origin.ofUrl(url)) {
            case Origin.Found(RepoName found) when isWhole(found) -> found;
            case Origin.Found _ ->
                    throw new MalformedNameException("the URL goes on after the repository");
            case Origin.Unusable(String why) -> throw new MalformedNameException("the URL " + why);
            case Origin.None() -> throw new MalformedNameException("there is no URL");
        };
    }

    /// GitHub has no groups in groups: what looks like them is a page of a repository.
    private static boolean isWhole(RepoName repo) {
        return !repo.host().equals(GitHost.GITHUB.name()) || repo.owner().indexOf('/') < 0;
    }

    RepoName repo() throws MalformedNameException {
        return RepoName.parse(GitHost.named(name));
    }

    /// What it grants, for whoever has no warden to ask.
    RepoPattern pattern() throws CliException {
        try {
            if (!access.isEmpty() && Word.of(Access.class, access.substring(1)).isEmpty()) {
                throw new MalformedNameException("its access is neither read nor write");
            }
            return RepoPattern.parse(GitHost.named(name));
        } catch (MalformedNameException e) {
            throw malformed(e);
        }
    }

    /// As the warden reads it.
    String text() {
        return name + access;
    }
}
