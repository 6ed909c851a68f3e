package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Home;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Only the command that is named is made.
class CommandTreeTest {
    @TempDir Path directory;

    @Test
    void aCommandShowsTheSameHelpWithoutTheOthers() {
        Shell shell = new Shell(new Home(directory.resolve("home")), directory);
        CommandLine all = Commands.tree(Surroundings.ofThisProcess());
        assertThat(all.getSubcommands()).hasSizeGreaterThan(20);
        all.getSubcommands()
                .forEach(
                        (name, command) -> {
                            assertThat(shell.run("", name, "--help")).isZero();
                            assertThat(shell.out()).isEqualTo(usage(command));
                        });
    }

    @Test
    void helpShowsWhatTheOptionShows() {
        Shell shell = new Shell(new Home(directory.resolve("home")), directory);
        for (String asked : List.of("", "run", "secret", "secret set", "k8s render", "help")) {
            assertThat(shell.run("", (asked + " --help").trim().split(" ", -1))).isZero();
            String expected = shell.out();
            assertThat(shell.run("", ("help " + asked).trim().split(" ", -1))).isZero();
            assertThat(shell.out()).as(asked).isEqualTo(expected);
        }
    }

    @Test
    void helpOfWhatDoesNotExistIsTheUsualError() {
        Shell shell = new Shell(new Home(directory.resolve("home")), directory);
        assertThat(shell.run("", "help", "secret", "sett")).isEqualTo(ExitCode.USAGE.status());
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).contains("There is no command sett.", "Did you mean set?");
        assertThat(shell.run("", "help", "nosuch")).isEqualTo(ExitCode.USAGE.status());
        assertThat(shell.err()).contains("There is no command nosuch.", "sallyport --help");
    }

    @Test
    void helpCompletesCommands() {
        Shell shell = new Shell(new Home(directory.resolve("home")), directory);
        assertThat(shell.completed("hel")).containsExactly("help");
        assertThat(shell.completed("help", "des")).containsExactly("destroy");
        assertThat(shell.completed("help", "policy", "ex")).containsExactly("explain", "export");
    }

    /// A wrapped example breaks when it is copied.
    @Test
    void examplesStandInOneLine() {
        CommandLine root = Commands.tree(Surroundings.ofThisProcess());
        examplesStandInOneLine(root);
    }

    private static void examplesStandInOneLine(CommandLine command) {
        assertThat(usage(command).lines())
                .containsAll(List.of(command.getCommandSpec().usageMessage().footer()));
        command.getSubcommands().values().forEach(CommandTreeTest::examplesStandInOneLine);
    }

    private static String usage(CommandLine command) {
        return command.getUsageMessage(CommandLine.Help.Ansi.OFF);
    }
}
