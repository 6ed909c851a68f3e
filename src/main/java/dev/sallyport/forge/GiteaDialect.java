package dev.sallyport.forge;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import java.util.List;
import java.util.Optional;

/// Gitea's and Forgejo's: repositories as at GitHub, and no numbers of them.
enum GiteaDialect implements Dialect {
    INSTANCE;

    /// Clients ask for it and leave out what an older one would not know.
    private static final String VERSION = "1.24.0";

    @Override
    public Forge forge() {
        return Forge.GITEA;
    }

    @Override
    public List<RestRoute> routes() {
        return GiteaTable.ROUTES;
    }

    @Override
    public Optional<byte[]> own(HostName host, List<String> segments, String login) {
        return switch (String.join("/", segments)) {
            case "version" -> Optional.of(ApiJson.bytes(ApiJson.empty().put("version", VERSION)));
            case "user" -> Optional.of(ApiJson.bytes(user(host, login)));
            case "settings/api" -> Optional.of(ApiJson.bytes(settings()));
            default -> Optional.empty();
        };
    }

    private static ObjectNode user(HostName host, String login) {
        return ApiJson.empty()
                .put("id", 0)
                .put("login", login)
                .put("username", login)
                .put("full_name", "")
                .put("email", "")
                .put("avatar_url", "")
                .put("html_url", "https://" + host + "/" + login)
                .put("is_admin", false);
    }

    private static ObjectNode settings() {
        return ApiJson.empty()
                .put("max_response_items", 50)
                .put("default_paging_num", 30)
                .put("default_git_trees_per_page", 1_000)
                .put("default_max_blob_size", 10_485_760);
    }

    @Override
    public Optional<String> loginMember() {
        return Optional.of("login");
    }

    @Override
    public AnswerForm form(AnswerForm.Ground ground) {
        return new GiteaForm(ground);
    }
}
