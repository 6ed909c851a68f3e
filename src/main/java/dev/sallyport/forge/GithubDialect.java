package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// GitHub's: `/repos/OWNER/NAME`, and `/repositories/ID`, which pages of lists lead to.
enum GithubDialect implements Dialect {
    INSTANCE;

    private static final String API_VERSION = "2022-11-28";
    private static final int RATE = 5_000;

    /// Clients ask an Enterprise host for its version and leave out what it would not know. This
    /// one knows no projects of the old kind, and no search and no actors of the new one.
    private static final String ENTERPRISE_VERSION = "3.17.0";

    @Override
    public Forge forge() {
        return Forge.GITHUB;
    }

    @Override
    public List<RestRoute> routes() {
        return RestTable.routes();
    }

    @Override
    public Optional<Aim> aim(HostName host, List<String> segments) {
        String first = segments.isEmpty() ? "" : segments.getFirst();
        if (first.equals("repositories") && segments.size() >= 2) {
            return Optional.of(
                    Dialect.numbered(segments.get(1), segments.subList(2, segments.size())));
        }
        return Dialect.super.aim(host, segments);
    }

    @Override
    public Map<String, String> fields(RestMedia media) {
        return Map.of("accept", media.accept(), "x-github-api-version", API_VERSION);
    }

    @Override
    public Optional<String> loginMember() {
        return Optional.empty();
    }

    @Override
    public AnswerForm form(AnswerForm.Ground ground) {
        return new GithubForm(ground);
    }

    /// What the gateway answers from what it knows: questions about whoever asks, which upstream
    /// would answer about the credential's owner, and about the service.
    @Override
    public Optional<JsonNode> own(HostName host, List<String> segments, String login) {
        return switch (String.join("/", segments)) {
            case "" -> Optional.of(root(ApiHost.of(host)));
            case "user" -> Optional.of(user(host, login));
            case "rate_limit" -> Optional.of(rates());
            case "meta" -> Optional.of(meta(host));
            case "versions" -> Optional.of(ApiJson.empty().arrayNode().add(API_VERSION));
            case "zen" -> Optional.of(ApiJson.empty().textNode("Two doors, never open at once."));
            default -> Optional.empty();
        };
    }

    private static ObjectNode root(ApiHost api) {
        String root = "https://" + api.name() + api.restRoot();
        return ApiJson.empty()
                .put("current_user_url", root + "/user")
                .put("rate_limit_url", root + "/rate_limit")
                .put("repository_url", root + "/repos/{owner}/{repo}")
                .put("issue_search_url", root + "/search/issues?q={query}{&page,per_page}");
    }

    private static ObjectNode user(HostName host, String login) {
        ApiHost api = ApiHost.of(host);
        return ApiJson.empty()
                .put("login", login)
                .put("id", 0)
                .put("node_id", "")
                .put("avatar_url", "")
                .put("html_url", "https://" + host + "/" + login)
                .put("url", "https://" + api.name() + api.restRoot() + "/users/" + login)
                .put("type", "User")
                .put("site_admin", false)
                .put("name", login)
                .putNull("email");
    }

    private static ObjectNode rates() {
        ObjectNode rates = ApiJson.empty();
        ObjectNode resources = rates.putObject("resources");
        for (String name : new String[] {"core", "search", "graphql"}) {
            resources.set(name, rate());
        }
        rates.set("rate", rate());
        return rates;
    }

    private static ObjectNode rate() {
        ObjectNode rate = ApiJson.empty();
        Map.of("limit", RATE, "used", 0, "remaining", RATE, "reset", 0).forEach(rate::put);
        return rate;
    }

    private static ObjectNode meta(HostName host) {
        ObjectNode meta = ApiJson.empty().put("verifiable_password_authentication", false);
        return ApiHost.of(host).restRoot().isEmpty()
                ? meta
                : meta.put("installed_version", ENTERPRISE_VERSION);
    }
}
