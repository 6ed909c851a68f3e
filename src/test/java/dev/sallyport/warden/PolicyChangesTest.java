package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.Api;
import dev.sallyport.fixture.Await;
import dev.sallyport.policy.Access;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A changed policy file: what new sandboxes get, and what those that are there lose, keep and get.
class PolicyChangesTest {
    private static final Api.ApplyPolicy NARROW = new Api.ApplyPolicy(false, false);
    private static final Api.ApplyPolicy RUNNING = new Api.ApplyPolicy(true, false);

    @TempDir Path temporary;
    private WardenParts parts;

    @BeforeEach
    void make() throws Exception {
        parts = new WardenParts(temporary);
    }

    @AfterEach
    void close() throws Exception {
        parts.close();
    }

    private void write(String text) throws IOException {
        Path file = parts.home.policyFile();
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private Session create(String name) throws Exception {
        return parts.create(name, Api.LifeRequest.STANDARD);
    }

    private Session now(String name) throws Exception {
        return parts.sandboxes.show(name);
    }

    private static List<String> hosts(Session session) {
        return session.egress().rules().stream().map(rule -> rule.host().toString()).toList();
    }

    private static CompletableFuture<Void> background(Callable<?> work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.startVirtualThread(
                () -> {
                    try {
                        work.call();
                        done.complete(null);
                    } catch (Exception e) {
                        done.completeExceptionally(e);
                    }
                });
        return done;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private String audit() throws IOException {
        return Files.readString(parts.home.auditLog());
    }

    @Test
    void takesAwayAtOnceAndGivesOnlyWhenSomebodySaysSo() throws Exception {
        write("egress: [{host: a.example}, {host: b.example}]");
        parts.policy.apply(NARROW);
        create("one");
        write("egress: [{host: b.example}, {host: c.example}]");

        Api.PolicyApplied applied = parts.policy.apply(NARROW);

        assertThat(applied.changed()).isTrue();
        assertThat(hosts(now("one"))).containsExactly("b.example");
        assertThat(applied.sandboxes())
                .singleElement()
                .satisfies(
                        change -> {
                            assertThat(change.lost())
                                    .containsExactly("a.example ports 80,443 tunnel");
                            assertThat(change.gained()).isEmpty();
                            assertThat(change.available())
                                    .containsExactly("c.example ports 80,443 tunnel");
                        });
        assertThat(hosts(create("two"))).containsExactly("b.example", "c.example");

        parts.policy.apply(RUNNING);
        assertThat(hosts(now("one"))).containsExactly("b.example", "c.example");
        assertThat(audit()).contains("policy.apply", "session.policy", applied.digest());
    }

    @Test
    void narrowsRepositoriesToTheAccessThatIsLeft() throws Exception {
        create("one");
        assertThat(now("one").grants().getFirst().access()).isEqualTo(Access.WRITE);
        write("git: [{repo: github.com/acme/app, access: read}]");
        parts.policy.apply(NARROW);
        assertThat(now("one").grants().getFirst().access()).isEqualTo(Access.READ);
        write("");
        parts.policy.apply(NARROW);
        assertThat(now("one").grants().getFirst().access()).isEqualTo(Access.READ);
        parts.policy.apply(RUNNING);
        assertThat(now("one").grants().getFirst().access()).isEqualTo(Access.WRITE);
    }

    @Test
    void aFileThatIsNotGoodChangesNothingAndIsNamed() throws Exception {
        write("egress: [{host: a.example}]");
        parts.policy.apply(NARROW);
        create("one");
        write("egress: [{hots: a.example}]");
        parts.policy.look();
        assertThat(hosts(now("one"))).containsExactly("a.example");
        assertThat(hosts(create("two"))).containsExactly("a.example");
        assertThat(parts.policy.notices())
                .singleElement()
                .asString()
                .contains("not in force", "policy.yaml:1");
        assertThatThrownBy(() -> parts.policy.apply(NARROW))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("policy.yaml:1");
        write("egress: []");
        Files.setPosixFilePermissions(
                parts.home.policyFile(), PosixFilePermissions.fromString("rw-rw-rw-"));
        parts.policy.look();
        assertThat(hosts(now("one"))).containsExactly("a.example");
        assertThat(parts.policy.notices()).singleElement().asString().contains("written by others");
    }

    @Test
    void noticesAChangedFileByItself() throws Exception {
        write("egress: [{host: a.example}]");
        parts.policy.look();
        create("one");
        assertThat(hosts(now("one"))).containsExactly("a.example");
        write("egress: []");
        parts.policy.look();
        assertThat(hosts(now("one"))).isEmpty();
    }

    @Test
    void whatAPersonAddedByNameOutlivesAChangeUnlessItBecomesAGitHost() throws Exception {
        write("egress: [{host: a.example}]");
        parts.policy.apply(NARROW);
        create("one");
        allow("one", "git.example", "b.example");
        write("egress: []");
        parts.policy.apply(NARROW);
        assertThat(hosts(now("one"))).containsExactly("git.example", "b.example");
        write("hosts: [{name: git.example, kind: gitea}]");
        parts.policy.apply(NARROW);
        assertThat(hosts(now("one"))).containsExactly("b.example");
    }

    @Test
    void whatIsAllowedASecondTimeChangesAndRecordsNothing() throws Exception {
        create("one");
        allow("one", "a.example");
        Session before = now("one");

        allow("one", "a.example");
        assertThat(now("one")).isEqualTo(before);
        assertThat(audit().lines().filter(line -> line.contains("session.allow"))).hasSize(1);

        allow("one", "a.example", "b.example");
        assertThat(hosts(now("one"))).containsExactly("a.example", "b.example");
        assertThat(audit().lines().filter(line -> line.contains("session.allow")).toList())
                .hasSize(2)
                .last()
                .asString()
                .contains("b.example")
                .doesNotContain("a.example");
    }

    private void allow(String name, String... hosts) throws Exception {
        Api.Allow more = new Api.Allow(List.of(hosts), List.of(), false);
        parts.sandboxes.change(
                name,
                present ->
                        parts.sandboxes
                                .rights()
                                .reach(present, parts.reach.widen(present.egress(), more)));
    }

    @Test
    void aDryRunSaysTheSameAndChangesNothing() throws Exception {
        write("egress: [{host: a.example}]");
        parts.policy.apply(NARROW);
        create("one");
        write("egress: []");
        Api.PolicyApplied said = parts.policy.apply(new Api.ApplyPolicy(false, true));
        assertThat(said.sandboxes().getFirst().lost()).hasSize(1);
        assertThat(hosts(now("one"))).containsExactly("a.example");
        assertThat(hosts(create("two"))).containsExactly("a.example");
    }

    @Test
    void aSandboxThatIsMadeMeanwhileIsNarrowedToo() throws Exception {
        write("egress: [{host: a.example}]");
        parts.policy.apply(NARROW);
        Session made =
                parts.policy.under(
                        () -> {
                            try {
                                Session planned =
                                        parts.plan("one", false, Api.LifeRequest.STANDARD);
                                write("egress: []");
                                parts.policy.apply(NARROW);
                                return parts.sandboxes.create(planned);
                            } catch (OperationException e) {
                                throw e;
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        assertThat(hosts(now(made.name()))).isEmpty();
    }

    @Test
    void whatHoldsOnlyFromTheNextStartOnIsSaid() throws Exception {
        write("audit: {keep-days-max: 30}");
        assertThat(parts.policy.apply(NARROW).waiting()).containsExactly("audit");
        assertThat(parts.policy.notices()).singleElement().asString().contains("audit changed");
    }

    /// A sandbox can fill the disk.
    @Test
    void takesAwayWhatItCannotRecordAndGivesNothing() throws Exception {
        write("egress: [{host: a.example}, {host: b.example}]");
        parts.policy.apply(NARROW);
        create("one");
        parts.audit.close();
        write("egress: [{host: b.example}, {host: c.example}]");
        parts.policy.look();
        assertThat(hosts(now("one"))).containsExactly("b.example");
        assertThatThrownBy(() -> parts.policy.apply(RUNNING))
                .isInstanceOf(OperationException.class);
        assertThat(hosts(now("one"))).containsExactly("b.example");
    }

    /// However long something else is done to one of them.
    @Test
    void noSandboxWaitsForAnother() throws Exception {
        write("egress: [{host: a.example}]");
        parts.policy.apply(NARROW);
        create("one");
        create("two");
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<Void> busy =
                background(
                        () ->
                                parts.sandboxes.change(
                                        "one",
                                        present -> {
                                            held.countDown();
                                            await(released);
                                            return present;
                                        }));
        await(held);
        write("egress: []");
        CompletableFuture<Void> applied = background(() -> parts.policy.apply(NARROW));
        Await.until(() -> hosts(now("two")).isEmpty());
        assertThat(applied).isNotDone();
        released.countDown();
        busy.get(60, TimeUnit.SECONDS);
        applied.get(60, TimeUnit.SECONDS);
        assertThat(hosts(now("one"))).isEmpty();
    }

    @Test
    void whatIsBeingMadeIsNotWaitedForAndHasTheRulesOfTheEnd() throws Exception {
        write("egress: [{host: a.example}]");
        parts.policy.apply(NARROW);
        Session planned = parts.plan("one", false, Api.LifeRequest.STANDARD);
        CountDownLatch released = new CountDownLatch(1);
        parts.runtime.before = released;
        CompletableFuture<Void> made =
                background(() -> parts.policy.under(() -> parts.sandboxes.create(planned)));
        Await.until(() -> !parts.sandboxes.list().isEmpty());
        write("egress: []");
        background(() -> parts.policy.apply(NARROW)).get(60, TimeUnit.SECONDS);
        released.countDown();
        made.get(60, TimeUnit.SECONDS);
        assertThat(hosts(now("one"))).isEmpty();
    }

    /// Whoever waits for a gateway that says nothing keeps nobody from being narrowed.
    @Test
    void aGatewayThatIsLateDoesNotHoldUpTheNextFile() throws Exception {
        Session one = create("one");
        parts.silent = true;
        parts.link.detach(one.id());
        var _ = parts.link.attach(one, List.of(), OpenPorts.NONE, () -> {});
        write("egress: [{host: a.example}]");
        CompletableFuture<Void> widened = background(() -> parts.policy.apply(RUNNING));
        Await.until(() -> hosts(now("one")).equals(List.of("a.example")));
        write("egress: []");
        parts.policy.apply(NARROW);
        assertThat(hosts(now("one"))).isEmpty();
        assertThat(widened).isNotDone();
        parts.link.detach(one.id());
        widened.get(60, TimeUnit.SECONDS);
    }
}
