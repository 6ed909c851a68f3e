package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.FakePerson;
import dev.sallyport.policy.AskRules;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A person sees all that a push would change, or is told that they do not.
final class PushShownTest {
    @TempDir Path dir;
    private final FakePerson person = new FakePerson();

    private BoundaryRig rig(AskRules ask, boolean tags, String... branches) throws Exception {
        List<RefPattern> patterns = new ArrayList<>();
        for (String branch : branches) {
            patterns.add(RefPattern.parse(branch));
        }
        PushRules rules =
                new PushRules(patterns, true, true, tags, 1 << 30, PushRules.standard().content());
        BoundaryRig rig =
                new BoundaryRig(dir, Limits.standard(), RefVisibility.all(), rules.withAsk(ask));
        rig.door.asker = person;
        return rig;
    }

    private BoundaryRig asking() throws Exception {
        return rig(AskRules.ALWAYS, false, "agent/**");
    }

    /// What is shown of a push, which then gets this answer.
    private Question.Push shown(BoundaryRig rig, Outcome answer, String... arguments)
            throws Exception {
        CompletableFuture<Command.Result> push =
                CompletableFuture.supplyAsync(
                        () -> rig.push(arguments), task -> Thread.ofPlatform().start(task));
        FakePerson.Waiting asked = person.next();
        asked.say(answer);
        assertThat(push.get(2, TimeUnit.MINUTES).exit() == 0).isEqualTo(answer == Outcome.YES);
        return asked.question().detail().push().orElseThrow();
    }

    private static void commit(BoundaryRig rig, String file, byte[] content) throws Exception {
        Files.write(rig.work.resolve(file), content);
        Git.ok(rig.work, "add", "-A");
        Git.ok(rig.work, "commit", "-q", "-m", "change " + file);
    }

    /// With two letters before them no character that is written out ends where the room does.
    @Test
    void aCutInFrontOfWhatIsWrittenOutIsNoticed() throws Exception {
        try (BoundaryRig rig = asking()) {
            rig.commit("a.txt", "xx" + "\u200B".repeat(20_000) + "evil\n");
            Question.Push shown = shown(rig, Outcome.NO, "HEAD:agent/x");

            assertThat(shown.diff()).contains("+xx<U+200B>").doesNotContain("evil");
            assertThat(shown.complete()).isFalse();
        }
    }

    @Test
    void aControlCharacterHidesNoFile() throws Exception {
        try (BoundaryRig rig = asking()) {
            rig.commit("nul.sh", "#!/bin/sh\n# \0\nevil one\n");
            rig.commit("return.sh", "#!/bin/sh\n# \revil two\n");
            Question.Push shown = shown(rig, Outcome.NO, "HEAD:agent/x");

            assertThat(shown.diff()).contains("+# <U+0000>\n+evil one\n", "+# <U+000D>evil two\n");
            assertThat(shown.complete()).isTrue();
        }
    }

    @Test
    void whatIsNotTextIsNamedAndTheDiffIsNotWhole() throws Exception {
        try (BoundaryRig rig = asking()) {
            commit(rig, "a.bin", new byte[] {0, (byte) 0xFF, 0});
            Question.Push binary = shown(rig, Outcome.YES, "HEAD:agent/x");
            commit(rig, "b.txt", "caf\u00e9 evil\n".getBytes(StandardCharsets.ISO_8859_1));
            Question.Push latin = shown(rig, Outcome.NO, "HEAD:agent/x");

            assertThat(binary.diff()).contains("a/a.bin", "Not shown");
            assertThat(binary.complete()).isFalse();
            assertThat(latin.diff()).contains("+caf\uFFFD evil");
            assertThat(latin.complete()).isFalse();
        }
    }

    @Test
    void whatTakesTooLongToCompareIsNotPassedOverInSilence() throws Exception {
        try (BoundaryRig rig = asking()) {
            rig.commit("a.txt", lines("old "));
            shown(rig, Outcome.YES, "HEAD:agent/x");
            rig.commit("a.txt", lines("evil "));
            Question.Push shown = shown(rig, Outcome.NO, "HEAD:agent/x");

            assertThat(shown.diff()).contains("Not shown").doesNotContain("evil");
            assertThat(shown.complete()).isFalse();
        }
    }

    /// So many that those of two files make too many pairs.
    private static String lines(String word) {
        return IntStream.range(0, 5_100)
                .mapToObj(i -> word + i + "\n")
                .collect(Collectors.joining());
    }

    private static AskRules about(String refs) throws Exception {
        return new AskRules(
                false, List.of(RefPattern.parseFull(refs)), List.of(), Optional.empty());
    }

    private static void assertShowsEvil(Question.Push shown) {
        assertThat(shown.commits())
                .extracting(Question.Commit::subject)
                .contains("change evil.txt")
                .doesNotContain("change README.md");
        assertThat(shown.diff()).contains("+evil\n").doesNotContain("README");
        assertThat(shown.complete()).isTrue();
    }

    @Test
    void g6_whatWasPushedUnaskedIsShownWhenItIsReleased() throws Exception {
        try (BoundaryRig rig =
                rig(about("refs/heads/release/**"), false, "agent/**", "release/**")) {
            rig.commit("evil.txt", "evil\n");
            rig.push("HEAD:agent/x").ok();
            assertThat(person.questions()).isEmpty();

            assertShowsEvil(shown(rig, Outcome.NO, "HEAD:release/1"));
            // Not either when the branch that has it moves in the same push.
            rig.commit("more.txt", "more\n");
            assertShowsEvil(shown(rig, Outcome.NO, "HEAD~:refs/heads/release/1", "HEAD:agent/x"));
            assertThat(rig.upstream("refs/heads/release/1")).isEmpty();
        }
    }

    @Test
    void g6_whatWasPushedUnaskedIsShownWhenItIsTagged() throws Exception {
        try (BoundaryRig rig = rig(about("refs/tags/**"), true, "agent/**")) {
            rig.commit("evil.txt", "evil\n");
            rig.push("HEAD:agent/x").ok();

            assertShowsEvil(shown(rig, Outcome.NO, "HEAD:refs/tags/v2"));
            Git.ok(rig.work, "tag", "-a", "-m", "two", "v3");
            assertShowsEvil(shown(rig, Outcome.NO, "v3"));
        }
    }

    @Test
    void whatAPersonApprovedIsNotShownAgain() throws Exception {
        try (BoundaryRig rig =
                rig(about("refs/heads/release/**"), false, "agent/**", "release/**")) {
            rig.commit("a.txt", "a\n");
            shown(rig, Outcome.YES, "HEAD:release/1");
            rig.commit("b.txt", "b\n");
            Question.Push shown = shown(rig, Outcome.NO, "HEAD:release/2");

            assertThat(shown.files()).containsExactly(new Question.Change("b.txt", 1, 0));
            assertThat(shown.commitsTotal()).isEqualTo(1);
            assertThat(shown.complete()).isTrue();
        }
    }

    /// All refs may have been changed unasked, so there is nothing to compare a new one with.
    @Test
    void whereNoRefIsLookedAfterANewOneIsNotShownAsWhole() throws Exception {
        AskRules deploys =
                new AskRules(
                        false, List.of(), List.of(PathPattern.of("deploy/**")), Optional.empty());
        try (BoundaryRig rig = rig(deploys, true, "**")) {
            rig.commit("deploy/x.sh", "x\n");
            Question.Push created = shown(rig, Outcome.NO, "HEAD:new");
            Question.Push updated = shown(rig, Outcome.NO, "HEAD:main");

            assertThat(created.complete()).isFalse();
            assertThat(updated.complete()).isTrue();
            assertThat(updated.files()).containsExactly(new Question.Change("deploy/x.sh", 1, 0));
        }
    }
}
