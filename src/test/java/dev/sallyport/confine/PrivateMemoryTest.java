package dev.sallyport.confine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Ownership;
import dev.sallyport.fixture.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrivateMemoryTest {
    /// A process that has read something it wants to keep for itself.
    static final class Child {
        private Child() {}

        public static void main(String[] args) throws IOException {
            if (args[0].equals("private")) {
                PrivateMemory.ofThisProcess();
            }
            System.out.println("ready " + Ownership.ownUid());
            System.in.read();
        }
    }

    private interface Look {
        void at(long pid) throws IOException;
    }

    private static void whileRunning(String how, Look look) throws IOException {
        List<String> argv = withoutCapabilities();
        argv.addAll(
                List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        how));
        Process child =
                new ProcessBuilder(argv).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader answers = child.inputReader()) {
            assertThat(answers.readLine()).startsWith("ready ");
            look.at(child.pid());
        } finally {
            child.destroyForcibly();
        }
    }

    /// Root without capabilities is a user like any other.
    private static List<String> withoutCapabilities() throws IOException {
        return new ArrayList<>(
                Ownership.ownUid() == 0
                        ? List.of("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--")
                        : List.of());
    }

    /// As the same user.
    private static int lookInto(long pid, String file) throws IOException {
        List<String> argv = withoutCapabilities();
        argv.addAll(List.of("dd", "if=/proc/" + pid + "/" + file, "of=/dev/null", "count=0"));
        return Command.of(argv).run().exit();
    }

    @Test
    void othersOfTheSameUserCannotLookIn() throws IOException {
        whileRunning(
                "open",
                pid -> {
                    assertThat(lookInto(pid, "mem")).as("positive control").isZero();
                    assertThat(lookInto(pid, "environ")).as("positive control").isZero();
                });
        whileRunning(
                "private",
                pid -> {
                    assertThat(lookInto(pid, "mem")).isNotZero();
                    assertThat(lookInto(pid, "environ")).isNotZero();
                    assertThat(lookInto(pid, "status")).as("who it is may be seen").isZero();
                });
    }

    @Test
    void thereIsNoCoreDump() throws IOException {
        whileRunning(
                "private",
                pid ->
                        assertThat(Files.readAllLines(Path.of("/proc/" + pid + "/limits")))
                                .anyMatch(
                                        line -> line.matches("Max core file size +0 +0 +bytes *")));
    }
}
