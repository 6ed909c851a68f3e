package dev.sallyport.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A provider whose logins Sallyport knows how to renew.
///
/// @param host what its access tokens are for
/// @param endpoint an `https` URL
/// @param form as that of [LoginText]
public record LoginProvider(
        String name, String host, String endpoint, String clientId, String form) {
    private static final String FILE = "logins.yaml";

    public static Optional<LoginProvider> find(String name) throws IOException {
        return all().stream().filter(provider -> provider.name().equals(name)).findFirst();
    }

    public static List<LoginProvider> all() throws IOException {
        YamlMapping yaml = StrictYaml.parse(Path.of(FILE), StrictYaml.bundled(FILE)).orElseThrow();
        yaml.requireOnly(List.of("providers"));
        List<LoginProvider> providers = new ArrayList<>();
        for (YamlMapping entry : yaml.mappings("providers")) {
            entry.requireOnly(List.of("name", "about", "host", "endpoint", "client-id", "form"));
            providers.add(
                    new LoginProvider(
                            entry.requiredText("name"),
                            entry.requiredText("host"),
                            entry.requiredText("endpoint"),
                            entry.requiredText("client-id"),
                            entry.requiredText("form")));
        }
        return providers;
    }
}
