package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProcessIdentityTest {
    private static String stat(String name, String state) {
        return "42 ("
                + name
                + ") "
                + state
                + " 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 0";
    }

    @Test
    void theStartTimeIsFoundWhateverTheNameContains() {
        for (String name : new String[] {"sleep", "a b", "a) R 1 (b", ") S 7 7 7", "((("}) {
            assertThat(ProcessIdentity.startTicks(stat(name, "S"))).hasValue(98765);
        }
    }

    @Test
    void whatHasEndedIsNotThere() {
        assertThat(ProcessIdentity.startTicks(stat("x", "Z"))).isEqualTo(OptionalLong.empty());
        assertThat(ProcessIdentity.startTicks(stat("x", "X"))).isEqualTo(OptionalLong.empty());
    }

    @Test
    void thisProcessIsItselfAndNoOther() {
        long pid = ProcessHandle.current().pid();
        Identity self = ProcessIdentity.of(pid).orElseThrow().named("self");

        assertThat(ProcessIdentity.isAlive(self)).isTrue();
        assertThat(
                        ProcessIdentity.isAlive(
                                new Identity(
                                        "reused",
                                        pid,
                                        self.startTicks() + 1,
                                        self.netNamespaceInode())))
                .isFalse();
        assertThat(
                        ProcessIdentity.isAlive(
                                new Identity(
                                        "moved",
                                        pid,
                                        self.startTicks(),
                                        self.netNamespaceInode() + 1)))
                .isFalse();
    }

    /// I3: a process that ends while it is read has no identity, whatever was read of its number.
    @Test
    void whatEndsWhileItIsReadIsNotThere() throws Exception {
        Process process = new ProcessBuilder("sleep", "600").start();
        long pid = process.pid();
        assertThat(ProcessIdentity.of(pid)).as("positive control").isPresent();
        assertThat(PidDescriptor.pinned(pid, () -> Optional.of("facts"))).contains("facts");

        Optional<String> facts =
                PidDescriptor.pinned(
                        pid,
                        () -> {
                            process.destroyForcibly().onExit().join();
                            return Optional.of("facts");
                        });

        assertThat(facts).isEmpty();
        assertThat(ProcessIdentity.of(pid)).isEmpty();
        assertThat(ProcessIdentity.of(Integer.MAX_VALUE)).isEmpty();
    }
}
