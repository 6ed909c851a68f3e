package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.FakePerson;
import dev.sallyport.policy.AskRules;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A push that a person is asked about, with real git against a real upstream: without a yes
/// upstream hears nothing of it.
final class PushApprovalTest {
    @TempDir Path dir;
    private final FakePerson person = new FakePerson();

    private BoundaryRig rig(AskRules ask) throws Exception {
        PushRules standard = PushRules.standard();
        PushRules rules =
                new PushRules(standard.branches(), true, true, false, 1 << 30, standard.content());
        BoundaryRig rig =
                new BoundaryRig(dir, Limits.standard(), RefVisibility.all(), rules.withAsk(ask));
        rig.door.asker = person;
        return rig;
    }

    private static CompletableFuture<Command.Result> begin(BoundaryRig rig, String... arguments) {
        return CompletableFuture.supplyAsync(
                () -> rig.push(arguments), task -> Thread.ofPlatform().start(task));
    }

    private static Command.Result end(CompletableFuture<Command.Result> push) throws Exception {
        return push.get(2, TimeUnit.MINUTES);
    }

    private static String sha256OfPack(Question question) {
        return question.content();
    }

    @Test
    void aPushWaitsAndGoesUpstreamAfterAYes() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "one\ntwo\n");
            CompletableFuture<Command.Result> push = begin(rig, "HEAD:agent/x");
            FakePerson.Waiting asked = person.next();

            assertThat(rig.pushesSent()).isZero();
            assertThat(rig.door.recorded("git.push")).isEmpty();
            asked.say(Outcome.YES);
            Command.Result result = end(push);
            assertThat(result.exit()).as(result.err()).isZero();
            assertThat(result.err())
                    .contains("waiting for a person: sallyport approve " + asked.asked().id());
            assertThat(rig.upstream("refs/heads/agent/x"))
                    .isEqualTo(Git.ok(rig.work, "rev-parse", "HEAD"));
            assertThat(rig.door.events.stream().filter(e -> e.kind().equals("git.push")))
                    .allSatisfy(
                            e ->
                                    assertThat(e.detail())
                                            .containsEntry("approval", asked.asked().id()));
            assertThat(rig.leavesNothing()).isTrue();
        }
    }

    @Test
    void aPersonSeesCommitsFilesAndTheDiff() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("src/Main.java", "class Main { int x; }\n");
            rig.commit("bidi.txt", "a\u202Eb\u001b[2J\n");
            CompletableFuture<Command.Result> push = begin(rig, "HEAD:agent/x");
            FakePerson.Waiting asked = person.next();
            asked.say(Outcome.NO);
            end(push);

            Question question = asked.question();
            Question.Push shown = question.detail().push().orElseThrow();
            assertThat(question.summary()).isEqualTo("create refs/heads/agent/x");
            assertThat(question.target()).isEqualTo("git.test.example/acme/app");
            assertThat(shown.commands())
                    .containsExactly(
                            new Question.Command(
                                    "refs/heads/agent/x",
                                    "0".repeat(40),
                                    Git.ok(rig.work, "rev-parse", "HEAD")));
            assertThat(shown.commits())
                    .extracting(Question.Commit::subject)
                    .containsExactlyInAnyOrder("change src/Main.java", "change bidi.txt");
            assertThat(shown.files())
                    .containsExactly(
                            new Question.Change("bidi.txt", 1, 0),
                            new Question.Change("src/Main.java", 1, 1));
            assertThat(shown.complete()).isTrue();
            assertThat(shown.diff())
                    .contains("diff --git a/bidi.txt b/bidi.txt", "+a<U+202E>b<U+001B>[2J")
                    .contains("-class Main {}", "+class Main { int x; }")
                    .doesNotContain("README");
        }
    }

    @Test
    void afterANoUpstreamHasNothingAndGitSaysWhy() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "a\n");
            CompletableFuture<Command.Result> push = begin(rig, "HEAD:agent/x");
            person.next().say(Outcome.NO, "add a test first");
            Command.Result result = end(push);

            assertThat(result.exit()).isNotZero();
            assertThat(result.err())
                    .contains("(sallyport: approval-denied)", "they said: add a test first")
                    .contains("Nothing was sent upstream");
            assertNothingHappened(rig);
        }
    }

    private static void assertNothingHappened(BoundaryRig rig) throws Exception {
        assertThat(rig.pushesSent()).isZero();
        assertThat(rig.upstream("refs/heads/agent/x")).isEmpty();
        assertThat(rig.door.recorded("git.push")).noneMatch(line -> line.startsWith("allow"));
        assertThat(rig.leavesNothing()).isTrue();
    }

    @Test
    void g6_withoutAnAnswerItIsNo() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "a\n");
            CompletableFuture<Command.Result> push = begin(rig, "HEAD:agent/x");
            person.next().say(Outcome.EXPIRED);

            assertThat(end(push).err()).contains("approval-expired");
            assertNothingHappened(rig);
        }
    }

    @Test
    void g6_whereThereIsNobodyToAskItIsNo() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.door.asker = dev.sallyport.approval.Asker.NOBODY;
            rig.commit("a.txt", "a\n");

            assertThat(rig.push("HEAD:agent/x").err()).contains("approval-expired");
            assertNothingHappened(rig);
        }
    }

    /// G6: what was approved is over with its push; other content is another question.
    @Test
    void g6_anApprovalIsNotForTheNextPush() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "a\n");
            CompletableFuture<Command.Result> push = begin(rig, "HEAD:agent/x");
            FakePerson.Waiting first = person.next();
            first.say(Outcome.YES);
            end(push).ok();
            long sent = rig.pushesSent();
            rig.commit("a.txt", "evil\n");
            CompletableFuture<Command.Result> again = begin(rig, "HEAD:agent/x");
            FakePerson.Waiting second = person.next();

            // An answer to the first is one to nobody.
            first.say(Outcome.YES);
            assertThat(again.isDone()).isFalse();
            second.say(Outcome.NO);
            assertThat(end(again).exit()).isNotZero();
            assertThat(rig.pushesSent()).isEqualTo(sent);
            assertThat(sha256OfPack(second.question()))
                    .isNotEqualTo(sha256OfPack(first.question()));
        }
    }

    /// G6: the same commit for another ref is another question, with another digest.
    @Test
    void g6_anApprovalIsNotForAnotherRef() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "a\n");
            CompletableFuture<Command.Result> one = begin(rig, "HEAD:agent/x");
            FakePerson.Waiting first = person.next();
            CompletableFuture<Command.Result> other = begin(rig, "HEAD:agent/y");
            FakePerson.Waiting second = person.next();
            assertThat(second.question().digest("s")).isNotEqualTo(first.question().digest("s"));

            first.say(Outcome.YES);
            end(one).ok();
            assertThat(rig.upstream("refs/heads/agent/y")).isEmpty();
            second.say(Outcome.NO);
            end(other);
            assertThat(rig.upstream("refs/heads/agent/y")).isEmpty();
        }
    }

    /// Upstream compares and swaps by the old id that was shown.
    @Test
    void g6_whatMovedWhileAPersonLookedIsNotOverwritten() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "a\n");
            CompletableFuture<Command.Result> push = begin(rig, "--force", "HEAD:agent/old");
            FakePerson.Waiting asked = person.next();
            String moved = Git.ok(rig.bare, "rev-parse", "main");
            Git.ok(rig.bare, "update-ref", "refs/heads/agent/old", moved);
            asked.say(Outcome.YES);

            assertThat(end(push).exit()).isNotZero();
            assertThat(rig.upstream("refs/heads/agent/old")).isEqualTo(moved);
        }
    }

    @Test
    void g6_aYesThatCannotBeRecordedHasNoEffect() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "a\n");
            CompletableFuture<Command.Result> push = begin(rig, "HEAD:agent/x");
            FakePerson.Waiting asked = person.next();
            rig.door.failRecording("git.push");
            asked.say(Outcome.YES);

            assertThat(end(push).err()).contains("not-recorded");
            assertNothingHappened(rig);
        }
    }

    @Test
    void onlyWhatTheRuleNamesIsAskedAbout() throws Exception {
        AskRules ask =
                new AskRules(
                        false,
                        List.of(RefPattern.parseFull("refs/heads/agent/release/**")),
                        List.of(PathPattern.of("deploy/**")),
                        Optional.of(50_000L));
        try (BoundaryRig rig = rig(ask)) {
            rig.commit("a.txt", "a\n");
            rig.push("HEAD:agent/x").ok();
            assertThat(person.questions()).isEmpty();

            assertThat(reason(rig, "HEAD:agent/release/1"))
                    .containsExactly(
                            "ref refs/heads/agent/release/1 (rule refs/heads/agent/release/**)");
            assertThat(reason(rig, "--delete", "agent/old")).isEmpty();
            rig.commit("deploy/x.sh", "x\n");
            rig.commit("deploy/x.sh", "");
            assertThat(reason(rig, "HEAD:agent/x"))
                    .anySatisfy(r -> assertThat(r).contains("path deploy/x.sh", "deploy/**"));
            Git.ok(rig.work, "reset", "-q", "--hard", "HEAD~2");
            rig.commit("big.bin", noise(60_000));
            assertThat(reason(rig, "HEAD:agent/x"))
                    .singleElement()
                    .asString()
                    .startsWith("pack of ");
        }
    }

    private static String noise(int characters) {
        StringBuilder text = new StringBuilder();
        new java.util.Random(1).ints(characters, 33, 1_000).forEach(c -> text.append((char) c));
        return text.toString();
    }

    /// Why a person was asked about a push, which is then denied; nothing when it just went
    /// through.
    private List<String> reason(BoundaryRig rig, String... push) throws Exception {
        int before = person.questions().size();
        CompletableFuture<Command.Result> begun = begin(rig, push);
        Await.until(() -> begun.isDone() || person.questions().size() > before);
        if (person.questions().size() > before) {
            FakePerson.Waiting asked = person.next();
            asked.say(Outcome.NO);
            end(begun);
            return asked.question().reasons();
        }
        end(begun).ok();
        return List.of();
    }

    /// A symbolic link stands for whatever it leads to, and a merge can take a side.
    @Test
    void g6_linksAndMergesDoNotGetAroundAPath() throws Exception {
        AskRules ask =
                new AskRules(
                        false, List.of(), List.of(PathPattern.of("deploy/**")), Optional.empty());
        try (BoundaryRig rig = rig(ask)) {
            java.nio.file.Files.createSymbolicLink(rig.work.resolve("deploy"), Path.of("src"));
            Git.ok(rig.work, "add", "-A");
            Git.ok(rig.work, "commit", "-q", "-m", "link");

            assertThat(reason(rig, "HEAD:agent/x")).isNotEmpty();
            assertNothingHappened(rig);

            // A merge that takes it from neither side.
            Git.ok(rig.work, "reset", "-q", "--hard", "origin/main");
            Git.ok(rig.work, "checkout", "-q", "-b", "side");
            rig.commit("side.txt", "side\n");
            Git.ok(rig.work, "checkout", "-q", "-b", "both", "origin/main");
            rig.commit("both.txt", "both\n");
            Git.ok(rig.work, "merge", "-q", "--no-commit", "--no-ff", "side");
            rig.commit("deploy/evil.sh", "evil\n");
            assertThat(Git.ok(rig.work, "rev-list", "--parents", "-1", "HEAD").split(" "))
                    .as("a merge")
                    .hasSize(3);
            assertThat(reason(rig, "HEAD:agent/x"))
                    .anySatisfy(r -> assertThat(r).contains("deploy/evil.sh"));
            assertNothingHappened(rig);
        }
    }

    /// What is hidden behind much else is not passed over in silence.
    @Test
    void g6_aDiffThatIsCutSaysSo() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "harmless line\n".repeat(15_000));
            rig.commit("z.txt", "evil\n");
            CompletableFuture<Command.Result> push = begin(rig, "HEAD:agent/x");
            FakePerson.Waiting asked = person.next();
            asked.say(Outcome.NO);
            end(push);

            Question.Push shown = asked.question().detail().push().orElseThrow();
            assertThat(shown.complete()).isFalse();
            assertThat(shown.diff().length()).isLessThanOrEqualTo(Question.DIFF_CHARACTERS_MAX);
            assertThat(shown.files())
                    .extracting(Question.Change::path)
                    .containsExactly("a.txt", "z.txt");
        }
    }

    @Test
    void whoGivesUpTakesTheQuestionBack() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit("a.txt", "a\n");
            Process git =
                    new ProcessBuilder("git", "push", "origin", "HEAD:agent/x")
                            .directory(rig.work.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            FakePerson.Waiting asked = person.next();
            git.descendants().forEach(ProcessHandle::destroyForcibly);
            git.destroyForcibly();

            Await.until(asked::isWithdrawn);
            asked.say(Outcome.YES);
            assertNothingHappened(rig);
        }
    }

    /// Judged first: nobody is asked about what is denied anyway.
    @Test
    void nobodyIsAskedAboutWhatIsDenied() throws Exception {
        try (BoundaryRig rig = rig(AskRules.ALWAYS)) {
            rig.commit(".github/workflows/x.yml", "on: push\n");

            assertThat(rig.push("HEAD:agent/x").err()).contains("path-not-allowed");
            assertThat(person.questions()).isEmpty();
        }
    }
}
