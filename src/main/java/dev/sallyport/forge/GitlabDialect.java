package dev.sallyport.forge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoName;
import java.util.List;
import java.util.Optional;

/// GitLab's: `/projects/ID`, where the id is a number or the whole path in one segment, as in
/// `acme%2Fapp` or `group%2Fsub%2Fapp`.
enum GitlabDialect implements Dialect {
    INSTANCE;

    private static final String VERSION = "17.0.0";

    @Override
    public Forge forge() {
        return Forge.GITLAB;
    }

    @Override
    public List<RestRoute> routes() {
        return GitlabTable.ROUTES;
    }

    @Override
    public Optional<Aim> aim(HostName host, List<String> segments) {
        if (segments.size() < 2 || !segments.getFirst().equals("projects")) {
            return Optional.empty();
        }
        String id = segments.get(1);
        List<String> below = segments.subList(2, segments.size());
        int slash = id.lastIndexOf('/');
        return Optional.of(
                slash < 0
                        ? Dialect.numbered(id, below)
                        : Dialect.named(
                                host, id.substring(0, slash), id.substring(slash + 1), below));
    }

    @Override
    public String path(RepoName repo) {
        return "/projects/" + RestPath.escaped(repo.path());
    }

    @Override
    public String form() {
        return "/projects/GROUP%2FNAME/…";
    }

    @Override
    public String pull(long number) {
        return "/merge_requests/" + number;
    }

    /// The root is asked for by clients that want to know their rate.
    @Override
    public Optional<byte[]> own(HostName host, List<String> segments, String login) {
        return switch (String.join("/", segments)) {
            case "" -> Optional.of(ApiJson.bytes(ApiJson.empty()));
            case "user" -> Optional.of(ApiJson.bytes(user(host, login)));
            case "version", "metadata" ->
                    Optional.of(
                            ApiJson.bytes(
                                    ApiJson.empty()
                                            .put("version", VERSION)
                                            .put("revision", "sallyport")));
            default -> Optional.empty();
        };
    }

    private static ObjectNode user(HostName host, String login) {
        return ApiJson.empty()
                .put("id", 0)
                .put("username", login)
                .put("name", login)
                .put("state", "active")
                .put("avatar_url", "")
                .put("web_url", "https://" + host + "/" + login);
    }

    @Override
    public Optional<String> loginMember() {
        return Optional.of("username");
    }

    @Override
    public boolean bindsIds() {
        return true;
    }

    @Override
    public AnswerForm form(AnswerForm.Ground ground) {
        return new GitlabForm(ground);
    }
}
