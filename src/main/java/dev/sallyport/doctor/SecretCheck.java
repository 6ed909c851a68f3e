package dev.sallyport.doctor;

import dev.sallyport.control.SecretsApi;
import java.util.List;

/// Whether a GitHub token can do more than the rules allow. Whoever gets hold of it is not bound by
/// them; the tokens of a GitHub App are minted for what they allow.
record SecretCheck(WardenView warden) implements Check {
    private static final String REMEDY =
            "Use a GitHub App: sallyport secret set NAME --kind github-app --app ID < key.pem; see"
                    + " docs/github.md";

    @Override
    public List<Finding> look() {
        return warden.secrets().stream().map(SecretCheck::finding).toList();
    }

    private static Finding finding(SecretsApi.SecretView secret) {
        String title = "secret " + secret.name();
        return secret.reach()
                .map(reach -> Finding.warn(title, "is " + reach, REMEDY))
                .orElseGet(
                        () ->
                                Finding.ok(
                                        title,
                                        "of kind " + secret.kind() + " for " + secret.host()));
    }
}
