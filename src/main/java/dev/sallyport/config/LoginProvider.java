package dev.sallyport.config;

import dev.sallyport.credential.Secret;
import dev.sallyport.credential.TokenClaims;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// A provider whose logins Sallyport knows how to renew.
///
/// @param host what its access tokens are for
/// @param endpoint an `https` URL
/// @param published where the client's secret is, for an endpoint that wants it
/// @param account where in an access token, a JWT, the id of the account is; empty when in none
/// @param form as that of [LoginText]
public record LoginProvider(
        String name,
        String host,
        String endpoint,
        String clientId,
        Optional<Published> published,
        List<String> account,
        String form) {
    /// The secret of a client that everybody has: the vendor gives it away in the agent's program,
    /// and it is looked for there.
    public record Published(String agent, Pattern form) {}

    private static final String FILE = "logins.yaml";

    public static Optional<LoginProvider> find(String name) throws IOException {
        return all().stream().filter(provider -> provider.name().equals(name)).findFirst();
    }

    /// The account that an access token is for, if the provider says that in it. It is an id, and
    /// no secret: an agent has to know it.
    static Optional<String> account(String endpoint, Secret access) {
        try {
            return all().stream()
                    .filter(provider -> provider.endpoint().equals(endpoint))
                    .filter(provider -> !provider.account().isEmpty())
                    .flatMap(provider -> TokenClaims.name(access, provider.account()).stream())
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException("the list of providers comes with the program", e);
        }
    }

    public static List<LoginProvider> all() throws IOException {
        YamlMapping yaml = StrictYaml.parse(Path.of(FILE), StrictYaml.bundled(FILE)).orElseThrow();
        yaml.requireOnly(List.of("providers"));
        List<LoginProvider> providers = new ArrayList<>();
        for (YamlMapping entry : yaml.mappings("providers")) {
            entry.requireOnly(
                    List.of(
                            "name",
                            "about",
                            "host",
                            "endpoint",
                            "client-id",
                            "client-secret",
                            "account",
                            "form"));
            providers.add(
                    new LoginProvider(
                            entry.requiredText("name"),
                            entry.requiredText("host"),
                            entry.requiredText("endpoint"),
                            entry.requiredText("client-id"),
                            entry.mapping("client-secret", LoginProvider::published),
                            entry.list("account", name -> name, "account_id").orElse(List.of()),
                            entry.requiredText("form")));
        }
        return providers;
    }

    private static Published published(YamlMapping secret) throws ConfigException {
        secret.requireOnly(List.of("agent", "form"));
        return new Published(
                secret.requiredText("agent"), Pattern.compile(secret.requiredText("form")));
    }
}
