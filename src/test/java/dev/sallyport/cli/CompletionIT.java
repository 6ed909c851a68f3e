package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Published;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The tab key in real shells, beside a running sandbox.
class CompletionIT {
    @TempDir static Path directory;
    private static Installation sallyport;

    @BeforeAll
    static void makeSandbox() {
        // Publishing takes longer than a command of a test may.
        assertThat(Published.jar()).exists();
        sallyport = Installation.bare(directory.resolve("i")).onlyProcesses();
        sallyport.sallyport("new", "--name=work", "--runtime=bubblewrap", "--no-repo").run().ok();
    }

    @AfterAll
    static void remove() {
        sallyport.close();
    }

    private static Command shell(String shell, String... arguments) throws IOException {
        Path script = directory.resolve("completion." + shell);
        Files.writeString(script, sallyport.sallyport("completion", shell).run().ok() + "\n");
        List<String> argv = new java.util.ArrayList<>(List.of(shell));
        argv.addAll(List.of(arguments));
        return Command.of(argv)
                .in(directory)
                .with("SALLYPORT_HOME", sallyport.home().toString())
                .with("HOME", directory.toString())
                .with("PATH", Path.of("").toAbsolutePath() + ":/usr/bin:/bin");
    }

    @Test
    void bashOffersSandboxesCommandsAndOptions() throws IOException {
        String ask =
                "source completion.bash; t() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _sallyport;"
                        + " echo \"${COMPREPLY[*]}\"; }; t sallyport exec ''; t sallyport pol;"
                        + " t sallyport list --js; t sallyport run -- ''";
        assertThat(shell("bash", "--norc", "-c", ask).run().ok().lines())
                .containsExactly("work", "policy", "--json");
    }

    @Test
    void zshOffersSandboxesAndWhatTheyAre() throws IOException {
        String ask =
                "compdef() { }; source ./completion.zsh; _describe() { print -l -- $found };"
                        + " _files() { print files }; words=(sallyport show ''); CURRENT=3; _sallyport;"
                        + " words=(sallyport run -- ''); CURRENT=4; _sallyport";
        List<String> lines = shell("zsh", "-f", "-c", ask).run().ok().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst()).startsWith("work:running");
        assertThat(lines.getLast()).isEqualTo("files");
    }

    /// As the file that the package installs, which zsh finds by its name.
    @Test
    void zshReadsItAsAFunctionToo() throws IOException {
        shell("zsh", "-f", "-c", "true").run().ok();
        Path functions = Files.createDirectory(directory.resolve("functions"));
        Files.copy(directory.resolve("completion.zsh"), functions.resolve("_sallyport"));
        String ask =
                "fpath=($PWD/functions $fpath); autoload -Uz compinit && compinit -u -d $PWD/dump;"
                        + " print -- $_comps[sallyport]; _describe() { print -l -- $found };"
                        + " words=(sallyport show ''); CURRENT=3; autoload -Uz _sallyport; _sallyport";
        List<String> lines = shell("zsh", "-f", "-c", ask).run().ok().lines().toList();
        assertThat(lines.getFirst()).isEqualTo("_sallyport");
        assertThat(lines.getLast()).startsWith("work:running");
    }

    @Test
    void fishOffersSandboxesAndFiles() throws IOException {
        String ask =
                "source completion.fish; complete -C 'sallyport show '; complete -C 'sallyport run -- comple'";
        List<String> lines = shell("fish", "--no-config", "-c", ask).run().ok().lines().toList();
        assertThat(lines.getFirst()).startsWith("work\trunning");
        assertThat(lines.subList(1, lines.size())).contains("completion.fish");
    }

    @Test
    void manualPagesHaveNoMistake() throws IOException {
        Path pages = directory.resolve("man");
        sallyport.sallyport("internal-man", pages.toString()).run().ok();
        String all =
                "for page in \"$1\"/*.1; do man --warnings -l \"$page\" >/dev/null || exit; done";
        Command.Result result = Command.of("sh", "-c", all, "sh", pages.toString()).run();
        assertThat(result.ok()).isEmpty();
        assertThat(result.err()).isEmpty();
    }
}
