package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Home;
import java.nio.file.Path;
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

    private static String usage(CommandLine command) {
        return command.getUsageMessage(CommandLine.Help.Ansi.OFF);
    }
}
