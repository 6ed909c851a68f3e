package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sallyport.fixture.Grants;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GrantTextTest {
    private static final int ROUNDS = 2_000;
    private static final GrantText.ApiText NO_API =
            new GrantText.ApiText(
                    "off",
                    "off",
                    "off",
                    "off",
                    false,
                    List.of(),
                    false,
                    Optional.empty(),
                    List.of());

    private final Random random = new Random(5);

    /// Nothing is lost on the way to the gateway or the store, above all not the difference between
    /// an absent list and an empty one (G20).
    @Test
    void everyGrantSurvivesTheWayThereAndBack() throws MalformedNameException {
        for (int i = 0; i < ROUNDS; i++) {
            GrantText text = anyGrant();
            RepoGrant grant = text.toGrant();
            assertThat(GrantText.of(grant)).isEqualTo(text);
            assertThat(text.toGrant()).isEqualTo(grant);
            assertThat(digest(text.toGrant())).isEqualTo(digest(grant));
        }
    }

    private static String digest(RepoGrant grant) {
        return new Policy(new SessionId("0123456789abcdef"), List.of(grant)).digest();
    }

    private GrantText anyGrant() {
        String access = one("read", "write");
        Optional<List<String>> visible = some("refs/heads/**", "refs/tags/*", "refs/heads/\u00e9");
        return new GrantText(
                one("github.com/Acme/App", "github.com/acme/*", "git.corp.example/a/.github"),
                access,
                visible,
                few("agent/**", "main", "a,b", "x\"y", "release-*"),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                few("refs/changes/**", "refs/pull/*/head"),
                few(".github/**", "a b", "*.pem", "\u00e9/**/x", "q\"u'o"),
                some("src/**", "**", "docs/*"),
                random.nextLong(1, Long.MAX_VALUE),
                random.nextLong(1, Long.MAX_VALUE),
                random.nextInt(1, Integer.MAX_VALUE),
                one("deny", "warn", "off"),
                some("*@bots.example", "Me@Corp.example"),
                one("auto", "on", "off"),
                visible.isEmpty() ? anyApi(access) : Optional.empty(),
                anyLfs(access),
                Optional.empty());
    }

    private Optional<GrantText.LfsText> anyLfs(String access) {
        return random.nextBoolean()
                ? Optional.empty()
                : Optional.of(
                        new GrantText.LfsText(
                                access.equals("read") ? "read" : one("read", "write"),
                                random.nextLong(1, Long.MAX_VALUE),
                                random.nextLong(1, Long.MAX_VALUE),
                                few("store.example.com", "*.example.com", "**.example.org")));
    }

    private Optional<GrantText.ApiText> anyApi(String access) {
        GrantText.ApiText api =
                new GrantText.ApiText(
                        one("off", "read"),
                        one("off", "read"),
                        access.equals("write") ? one("off", "read", "write") : one("off", "read"),
                        one("off", "read", "write"),
                        random.nextBoolean(),
                        few("octocat", "hubot"),
                        random.nextBoolean(),
                        Optional.of(one("github", "gitlab", "gitea"))
                                .filter(forge -> !forge.equals("github")),
                        List.of());
        GrantText.ApiText levels =
                new GrantText.ApiText(
                        api.read(),
                        api.checks(),
                        api.pulls(),
                        api.issues(),
                        api.rerun(),
                        api.reviewers(),
                        api.textCommands(),
                        Optional.empty(),
                        List.of());
        return levels.equals(NO_API) ? Optional.empty() : Optional.of(api);
    }

    private String one(String... words) {
        return words[random.nextInt(words.length)];
    }

    private List<String> few(String... words) {
        List<String> few = new ArrayList<>(List.of(words));
        few.removeIf(_ -> random.nextBoolean());
        return few;
    }

    private Optional<List<String>> some(String... words) {
        return random.nextBoolean() ? Optional.of(few(words)) : Optional.empty();
    }

    @Test
    void anUnknownWordIsNotARight() {
        for (String word : List.of("", "Write", "WRITE", "admin", "write ")) {
            assertThatIllegalArgumentException().isThrownBy(() -> withAccess(word).toGrant());
        }
    }

    private static GrantText withAccess(String access) {
        GrantText text = Grants.unusual("github.com/acme/app");
        return new GrantText(
                text.repo(),
                access,
                text.refsVisible(),
                text.branches(),
                text.force(),
                text.delete(),
                text.tags(),
                text.refsTrusted(),
                text.pathsDenied(),
                text.pathsAllowed(),
                text.packBytesMax(),
                text.fileBytesMax(),
                text.commitsMax(),
                text.secrets(),
                text.author(),
                text.mirror(),
                text.api(),
                text.lfs(),
                Optional.empty());
    }

    /// What a stored grant says of an API never outgrows what the grant allows of git.
    @Test
    void g20_apiRulesThatCannotHoldAreNone() throws MalformedNameException {
        GrantText text = Grants.standard("github.com/acme/app", "read");
        GrantText.ApiText write =
                new GrantText.ApiText(
                        "read",
                        "read",
                        "write",
                        "off",
                        false,
                        List.of(),
                        false,
                        Optional.empty(),
                        List.of());
        assertThat(withApi(text, text.refsVisible(), write).toGrant().api())
                .isEqualTo(
                        new ApiRules(
                                ApiLevel.READ,
                                ApiLevel.READ,
                                ApiLevel.READ,
                                ApiLevel.OFF,
                                false,
                                List.of(),
                                false));
        assertThat(withApi(text, Optional.of(List.of("refs/heads/main")), write).toGrant().api())
                .isEqualTo(ApiRules.NONE);
    }

    private static GrantText withApi(
            GrantText text, Optional<List<String>> refsVisible, GrantText.ApiText api) {
        return new GrantText(
                text.repo(),
                text.access(),
                refsVisible,
                text.branches(),
                text.force(),
                text.delete(),
                text.tags(),
                text.refsTrusted(),
                text.pathsDenied(),
                text.pathsAllowed(),
                text.packBytesMax(),
                text.fileBytesMax(),
                text.commitsMax(),
                text.secrets(),
                text.author(),
                text.mirror(),
                Optional.of(api),
                text.lfs(),
                Optional.empty());
    }
}
