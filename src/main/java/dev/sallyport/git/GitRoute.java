package dev.sallyport.git;

import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import java.util.List;

/// Which of the four smart-HTTP requests, or what of the LFS API, is meant, for which repository.
///
/// But for the suffix `.git` there is one spelling of each, and one parser for all: nothing is
/// decoded, folded or cleaned, so that no two places can read a path differently.
sealed interface GitRoute {
    /// `GET info/refs?service=…`
    record Advertise(RepoName repo, GitService service) implements GitRoute {}

    /// `POST git-upload-pack` or `POST git-receive-pack`
    record Call(RepoName repo, GitService service) implements GitRoute {}

    /// Anything of the LFS API.
    ///
    /// @param path what follows `info/lfs/`
    record Lfs(RepoName repo, String path) implements GitRoute {}

    /// None of these. The reason depends on the request alone, so it reveals nothing.
    record None(Refusal reason) implements GitRoute {}

    String ROOT = "/git/";
    String SUFFIX = ".git";

    String LFS = "info/lfs/";
    List<String> ENDS = List.of("/info/refs", "/git-upload-pack", "/git-receive-pack");

    static GitRoute parse(String method, String path, String query) {
        int host = path.indexOf('/', ROOT.length());
        int name = endOfName(path);
        int owner = path.lastIndexOf('/', name - 1);
        if (!path.startsWith(ROOT) || host < 0 || owner <= host || name <= owner) {
            return new None(Refusal.NO_SUCH_ENDPOINT);
        }
        try {
            RepoName repo =
                    RepoName.of(
                            HostName.parse(path.substring(ROOT.length(), host)),
                            path.substring(host + 1, owner),
                            bare(path.substring(owner + 1, name)));
            return endpoint(method, repo, path.substring(name + 1), query);
        } catch (MalformedNameException _) {
            return new None(Refusal.NO_SUCH_ENDPOINT);
        }
    }

    /// With groups in groups a path says by its end where the name is over; in that of the LFS API
    /// it is over where that begins.
    private static int endOfName(String path) {
        for (String end : ENDS) {
            if (path.endsWith(end)) {
                return path.length() - end.length();
            }
        }
        return path.indexOf("/" + LFS);
    }

    /// The suffix `.git` may be left out, as people do when they clone; a repository has one name
    /// all the same, because no [RepoName] ends in it.
    private static String bare(String name) {
        return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    }

    private static GitRoute endpoint(String method, RepoName repo, String rest, String query) {
        return switch (rest) {
            case "info/refs" -> advertise(method, repo, query);
            case "git-upload-pack" -> call(method, repo, GitService.UPLOAD_PACK, query);
            case "git-receive-pack" -> call(method, repo, GitService.RECEIVE_PACK, query);
            default ->
                    rest.startsWith(LFS) && isClean(rest)
                            ? new Lfs(repo, rest.substring(LFS.length()))
                            : new None(Refusal.NO_SUCH_ENDPOINT);
        };
    }

    private static boolean isClean(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            char c = rest.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && !(c >= '0' && c <= '9') && "./_-".indexOf(c) < 0) {
                return false;
            }
        }
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
