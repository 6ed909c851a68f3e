package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RepoName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// What differs between hosting services in their REST APIs. The judge, the rules about writes and
/// texts, and the way of a request are the same for all. What most have in common is said here:
/// repositories at `/repos/OWNER/NAME`, and no numbers of them in answers.
sealed interface Dialect permits GithubDialect, GitlabDialect, GiteaDialect {
    Pattern ID = Pattern.compile("[1-9][0-9]{0,17}");

    static Dialect of(Forge forge) {
        return switch (forge) {
            case GITHUB -> GithubDialect.INSTANCE;
            case GITLAB -> GitlabDialect.INSTANCE;
            case GITEA -> GiteaDialect.INSTANCE;
        };
    }

    /// What a path is about, and what comes below that.
    sealed interface Aim {
        record Named(RepoName repo, List<String> below) implements Aim {}

        record Numbered(long id, List<String> below) implements Aim {}

        /// A repository by a name that none has.
        record Nameless() implements Aim {}
    }

    Forge forge();

    /// All that can be allowed.
    List<RestRoute> routes();

    /// Empty when the path is about no repository.
    ///
    /// @param segments without the root of the API
    default Optional<Aim> aim(HostName host, List<String> segments) {
        return segments.size() >= 3 && segments.getFirst().equals("repos")
                ? Optional.of(
                        named(
                                host,
                                segments.get(1),
                                segments.get(2),
                                segments.subList(3, segments.size())))
                : Optional.empty();
    }

    /// Where a repository is, without the root of the API.
    default String path(RepoName repo) {
        return "/repos/" + repo.path();
    }

    /// How a path of a repository is written, for people.
    default String form() {
        return "/repos/OWNER/NAME/…";
    }

    /// Below a repository, where a pull request is.
    default String pull(long number) {
        return "/pulls/" + number;
    }

    /// What is asked for, and with which version of the API.
    default Map<String, String> fields(RestMedia media) {
        return Map.of("accept", media.plain());
    }

    /// What the gateway answers from what it knows.
    ///
    /// @param segments without the root of the API, in canonical form
    Optional<JsonNode> own(HostName host, List<String> segments, String login);

    /// Who the session is, by the name of the member that says so. Empty where it is asked with a
    /// query.
    Optional<String> loginMember();

    /// Whether answers say by numbers where they lie, so that the number of a repository has to be
    /// known before it is asked for anything.
    default boolean bindsIds() {
        return false;
    }

    /// How answers say where they lie.
    AnswerForm form(AnswerForm.Ground ground);

    default ApiHost api(HostName git) {
        return ApiHost.of(forge(), git);
    }

    /// With the root of the API, in the spelling of the grant, whatever the client wrote.
    ///
    /// @param below empty, or with a slash before it
    default String target(RepoName repo, String below) {
        return api(repo.host()).restRoot() + path(repo) + below;
    }

    static Aim named(HostName host, String owner, String name, List<String> below) {
        try {
            return new Aim.Named(RepoName.of(host, owner, name), below);
        } catch (MalformedNameException _) {
            return new Aim.Nameless();
        }
    }

    static Aim numbered(String id, List<String> below) {
        return ID.matcher(id).matches()
                ? new Aim.Numbered(Long.parseLong(id), below)
                : new Aim.Nameless();
    }
}
