package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefVisibilityTest {
    private static RefVisibility of(String... patterns) throws MalformedNameException {
        List<RefPattern> parsed = new ArrayList<>();
        for (String pattern : patterns) {
            parsed.add(RefPattern.parseFull(pattern));
        }
        return RefVisibility.of(parsed);
    }

    private static boolean shows(RefVisibility visible, String ref) throws MalformedNameException {
        return visible.shows(RefName.parse(ref));
    }

    @Test
    void showsEverythingWhenThereIsNoList() throws MalformedNameException {
        assertThat(RefVisibility.all().isAll()).isTrue();
        assertThat(RefVisibility.all().patterns()).isEmpty();
        assertThat(shows(RefVisibility.all(), "refs/pull/1/head")).isTrue();
    }

    /// G20.
    @Test
    void showsNothingWhenTheListIsEmpty() throws MalformedNameException {
        assertThat(of().isAll()).isFalse();
        assertThat(of().patterns()).contains(List.of());
        assertThat(shows(of(), "refs/heads/main")).isFalse();
    }

    @Test
    void showsWhatOnePatternCovers() throws MalformedNameException {
        RefVisibility visible = of("refs/heads/**", "refs/tags/v*");
        for (String ref : List.of("refs/heads/main", "refs/heads/a/b", "refs/tags/v1")) {
            assertThat(shows(visible, ref)).as(ref).isTrue();
        }
        for (String ref :
                List.of("refs/tags/x", "refs/tags/v1/x", "refs/Heads/main", "refs/headsx/main")) {
            assertThat(shows(visible, ref)).as(ref).isFalse();
        }
    }

    @Test
    void g21TrustsWhatOnlySomebodyWithWriteAccessMakes() throws MalformedNameException {
        RefVisibility trusted = RefVisibility.all().trusted(List.of());
        for (String ref : List.of("refs/heads/main", "refs/heads/a/b", "refs/tags/v1")) {
            assertThat(shows(trusted, ref)).as(ref).isTrue();
        }
        for (String ref :
                List.of(
                        "refs/pull/5/head",
                        "refs/pull/5/merge",
                        "refs/merge-requests/5/head",
                        "refs/changes/05/5/1",
                        "refs/forks/x/main",
                        "refs/notes/commits",
                        "refs/replace/x",
                        "refs/headsx/main",
                        "refs/Heads/main",
                        "refs/remotes/refs/heads/main")) {
            assertThat(shows(trusted, ref)).as(ref).isFalse();
        }
        List<RefPattern> changes = List.of(RefPattern.parseFull("refs/changes/**"));
        assertThat(shows(RefVisibility.all().trusted(changes), "refs/changes/05/5/1")).isTrue();
        assertThat(shows(RefVisibility.all().trusted(changes), "refs/heads/main")).isTrue();
        assertThat(shows(RefVisibility.all().trusted(changes), "refs/pull/5/head")).isFalse();
    }

    /// A ref that the session may not see vouches for nothing: whether something passes would tell
    /// what it reaches.
    @Test
    void trustNeverShowsMore() throws MalformedNameException {
        RefVisibility trusted = of("refs/heads/main", "refs/pull/**").trusted(List.of());
        assertThat(shows(trusted, "refs/heads/main")).isTrue();
        assertThat(shows(trusted, "refs/heads/other")).isFalse();
        assertThat(shows(trusted, "refs/pull/5/head")).isFalse();
        RefVisibility branches = of("refs/heads/**", "refs/tags/v*");
        assertThat(branches.trusted(List.of())).isSameAs(branches);
        assertThat(trusted.trusted(List.of())).isEqualTo(trusted).hasSameHashCodeAs(trusted);
    }

    @Test
    void aRefThatCannotBeSeenCannotBePushed() throws MalformedNameException {
        PushRules push = PushRules.standard();
        RepoGrant grant =
                new RepoGrant(
                        RepoPattern.parse("github.com/acme/app"),
                        Access.WRITE,
                        of("refs/heads/main"),
                        push);
        SessionId session = new SessionId("0123456789abcdef");
        Decision<GitPermit> decision =
                new Policy(session, List.of(grant))
                        .decide(RepoName.parse("github.com/acme/app"), GitService.RECEIVE_PACK);
        GitPermit permit = ((Decision.Allow<GitPermit>) decision).permit();
        RefUpdate update =
                new RefUpdate(
                        RefName.parse("refs/heads/agent/x"),
                        ObjectName.ZERO,
                        new ObjectName("1".repeat(40)));
        assertThat(Policy.objection(permit, update)).contains(Refusal.REF_NOT_ALLOWED);
    }

    @Test
    void isNamedDifferentlyWhenItShowsSomethingElse() throws MalformedNameException {
        assertThat(
                        List.of(
                                RefVisibility.all().toString(),
                                of().toString(),
                                of("refs/heads/a").toString(),
                                of("refs/heads/a", "refs/heads/b").toString(),
                                of("refs/heads/a,refs/heads/b").toString(),
                                of("refs/pull/**").toString(),
                                of("refs/pull/**").trusted(List.of()).toString(),
                                RefVisibility.all().trusted(List.of()).toString(),
                                RefVisibility.all()
                                        .trusted(List.of(RefPattern.parseFull("refs/pull/**")))
                                        .toString()))
                .doesNotHaveDuplicates();
        assertThat(of("refs/heads/a")).isEqualTo(of("refs/heads/a")).isNotEqualTo(of());
        assertThat(of("refs/heads/a")).hasSameHashCodeAs(of("refs/heads/a"));
        assertThat(of()).isNotEqualTo(RefVisibility.all());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "main", "heads/main", "**", "refs", "refs/", "refs/heads/", "HEAD"})
    void refusesNamesThatAreNotFull(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> RefPattern.parseFull(text));
    }
}
