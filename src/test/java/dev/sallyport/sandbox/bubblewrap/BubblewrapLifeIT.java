package dev.sallyport.sandbox.bubblewrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Plans;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.SandboxBench;
import dev.sallyport.sandbox.SandboxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How bubblewrap sandboxes begin, survive and end. Runs as root here and as an ordinary user in
/// [BubblewrapAsOrdinaryUserIT].
class BubblewrapLifeIT {
    @TempDir Path directory;
    private Installation installation;
    private SandboxBench sandbox;

    @BeforeEach
    void create() throws Exception {
        Path workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        installation = new Installation(Files.createDirectory(directory.resolve("home")));
        sandbox = SandboxBench.create(runtime(), installation, workspace);
    }

    private BubblewrapRuntime runtime() {
        return new BubblewrapRuntime(installation, Person.current());
    }

    @AfterEach
    void destroy() throws Exception {
        sandbox.close();
    }

    @Test
    void destroyingLeavesNoProcessAndNoFile() throws Exception {
        sandbox.sh("setsid sleep 1000 >/dev/null 2>&1 </dev/null & disown").ok();
        assertThat(sandbox.processes()).hasSizeGreaterThanOrEqualTo(3);

        sandbox.close();

        assertThat(sandbox.processesLeft()).isEmpty();
        assertThat(sandbox.spec.files()).doesNotExist();
        assertThat(sandbox.runtime.isAlive(sandbox.spec, sandbox.identity)).isFalse();
        sandbox.close();
    }

    @Test
    void theEndOfTheFirstProcessEndsEverythingAndIsTold() throws Exception {
        sandbox.sh("setsid sleep 1000 >/dev/null 2>&1 </dev/null & disown").ok();
        var ended = new CompletableFuture<SessionId>();
        sandbox.runtime.onEnd(sandbox.spec, sandbox.identity, ended::complete);

        Command.of("kill", "-KILL", "" + sandbox.identity.pid()).run().ok();

        assertThat(ended.get(60, TimeUnit.SECONDS)).isEqualTo(sandbox.spec.id());
        awaitNoProcess();
        assertThat(sandbox.runtime.isAlive(sandbox.spec, sandbox.identity)).isFalse();
        assertThatThrownBy(() -> sandbox.run("true"))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("sallyport start");
    }

    @Test
    void commandsInsideCannotEndTheSandbox() throws Exception {
        sandbox.sh("kill -KILL 1; kill -TERM 1; kill -KILL -1; true");
        sandbox.sh("pkill -KILL sleep; true");

        assertThat(sandbox.runtime.isAlive(sandbox.spec, sandbox.identity)).isTrue();
        assertThat(sandbox.sh("echo still here").ok()).isEqualTo("still here");
    }

    @Test
    void orphansAreCollected() throws Exception {
        sandbox.sh("for i in 1 2 3; do (setsid sleep 0.123 &) ; done").ok();

        Await.until(
                "none runs, and none that has ended is left",
                () ->
                        sandbox.sh("ps -A -o args=")
                                .ok()
                                .lines()
                                .noneMatch(
                                        l -> l.equals("sleep 0.123") || l.contains("<defunct>")));
    }

    @Test
    void stoppingKeepsTheWorkspaceAndStartingGivesANewIdentity() throws Exception {
        sandbox.sh("echo kept > file; echo lost > ~/file").ok();
        Identity before = sandbox.identity;

        sandbox.runtime.stop(sandbox.spec, before);
        assertThat(sandbox.processesLeft()).isEmpty();
        sandbox.identity = sandbox.runtime.start(sandbox.spec, Optional.empty());

        assertThat(sandbox.identity).isNotEqualTo(before);
        assertThat(sandbox.runtime.isAlive(sandbox.spec, before)).isFalse();
        assertThat(sandbox.sh("cat file; ls ~").ok()).isEqualTo("kept");
    }

    @Test
    void aReusedPidIsNeverKilled() throws Exception {
        Process bystander = Command.of("sleep", "1000").start();
        try {
            var wrong = new Identity("x", bystander.pid(), 1, sandbox.identity.netNamespaceInode());

            sandbox.runtime.stop(sandbox.spec, wrong);

            assertThat(sandbox.runtime.isAlive(sandbox.spec, wrong)).isFalse();
            assertThat(bystander.isAlive()).isTrue();
        } finally {
            bystander.destroyForcibly();
        }
    }

    @Test
    void sweepingEndsWhatIsUnknownAndNothingElse() throws Exception {
        Path otherHome = Files.createDirectory(directory.resolve("other"));
        var other = new BubblewrapRuntime(new Installation(otherHome), Person.current());

        assertThat(other.sweep(Set.of())).isZero();
        assertThat(runtime().sweep(Set.of(sandbox.spec.id()))).isZero();
        assertThat(sandbox.runtime.isAlive(sandbox.spec, sandbox.identity)).isTrue();
        assertThat(sandbox.spec.files()).exists();

        assertThat(runtime().sweep(Set.of(SessionId.random()))).isEqualTo(1);
        assertThat(sandbox.processesLeft()).isEmpty();
        assertThat(sandbox.spec.files()).doesNotExist();
    }

    @Test
    void destroyingWithoutAnIdentityFindsTheSandboxAllTheSame() throws Exception {
        sandbox.runtime.destroy(sandbox.spec, Optional.empty());

        assertThat(sandbox.processesLeft()).isEmpty();
        assertThat(sandbox.spec.files()).doesNotExist();
    }

    @Test
    void aCommandEndsWithTheProcessThatRanIt() throws Exception {
        var plan = sandbox.plan(false, Map.of(), "sleep", "987");
        Process client = Plans.command(plan).start();
        awaitSleeper(true);

        client.destroy();

        awaitSleeper(false);
    }

    /// The whole command line: on its way in the command is the end of those of other programs.
    private void awaitSleeper(boolean expected) throws Exception {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (sandbox.run("pgrep", "-xf", "sleep 987").exit() == 0 != expected) {
            assertThat(System.nanoTime()).as("sleeper there: " + expected).isLessThan(deadline);
        }
    }

    private void awaitNoProcess() throws Exception {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        List<String> left = sandbox.processes();
        while (!left.isEmpty()) {
            assertThat(System.nanoTime()).as(left.toString()).isLessThan(deadline);
            left = sandbox.processes();
        }
    }
}
