package dev.sallyport.git;

import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which of the four smart-HTTP requests is meant, for which repository.
///
/// But for the suffix `.git` there is one spelling of each, and one parser for all: nothing is
/// decoded, folded or cleaned, so that no two places can read a path differently.
sealed interface GitRoute {
    /// `GET info/refs?service=…`
    record Advertise(RepoName repo, GitService service) implements GitRoute {}

    /// `POST git-upload-pack` or `POST git-receive-pack`
    record Call(RepoName repo, GitService service) implements GitRoute {}

    /// Anything of the LFS API, which exists only as an explanation.
    record Lfs(RepoName repo) implements GitRoute {}

    /// None of these. The reason depends on the request alone, so it reveals nothing.
    record None(Refusal reason) implements GitRoute {}

    /// The suffix `.git` may be left out, as people do when they clone; a repository has one name
    /// all the same, because no [RepoName] ends in it.
    Pattern SHAPE =
            Pattern.compile(
                    "/git/([a-z0-9.-]+)/([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+?)(?:\\.git)?/([A-Za-z0-9./_-]+)");

    static GitRoute parse(String method, String path, String query) {
        Matcher shape = SHAPE.matcher(path);
        if (!shape.matches()) {
            return new None(Refusal.NO_SUCH_ENDPOINT);
        }
        try {
            HostName host = HostName.parse(shape.group(1));
            RepoName repo = RepoName.of(host, shape.group(2), shape.group(3));
            return endpoint(method, repo, shape.group(4), query);
        } catch (MalformedNameException _) {
            return new None(Refusal.NO_SUCH_ENDPOINT);
        }
    }

    private static GitRoute endpoint(String method, RepoName repo, String rest, String query) {
        return switch (rest) {
            case "info/refs" -> advertise(method, repo, query);
            case "git-upload-pack" -> call(method, repo, GitService.UPLOAD_PACK, query);
            case "git-receive-pack" -> call(method, repo, GitService.RECEIVE_PACK, query);
            default ->
                    rest.startsWith("info/lfs/") && isClean(rest)
                            ? new Lfs(repo)
                            : new None(Refusal.NO_SUCH_ENDPOINT);
        };
    }

    private static boolean isClean(String rest) {
        return !rest.contains("//") && !rest.contains("/.");
    }

    private static GitRoute advertise(String method, RepoName repo, String query) {
        if (!method.equals("GET")) {
            return new None(Refusal.METHOD_NOT_ALLOWED);
        }
        for (GitService service : GitService.values()) {
            if (query.equals("service=" + service.wireName())) {
                return new Advertise(repo, service);
            }
        }
        return new None(Refusal.NO_SUCH_ENDPOINT);
    }

    private static GitRoute call(String method, RepoName repo, GitService service, String query) {
        if (!method.equals("POST")) {
            return new None(Refusal.METHOD_NOT_ALLOWED);
        }
        return query.isEmpty() ? new Call(repo, service) : new None(Refusal.NO_SUCH_ENDPOINT);
    }
}
