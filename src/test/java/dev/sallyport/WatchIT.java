package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.sandbox.ShellWords;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `watch` as a person meets it, in a real terminal, and as a script does.
class WatchIT {
    private static final String DENIED = "watched.example";

    private Path root;
    private Installation sallyport;

    @BeforeEach
    void start() throws IOException {
        root = Files.createTempDirectory("sp-watch");
        sallyport = Installation.bare(root.resolve("i"));
        sallyport
                .sallyport("new", "--name", "box", "--no-repo", "--runtime", "bubblewrap")
                .run()
                .ok();
    }

    @AfterEach
    void stop() {
        tmux("kill-server").run();
        sallyport.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private Command tmux(String... arguments) {
        List<String> argv =
                new ArrayList<>(
                        List.of("tmux", "-f", "/dev/null", "-S", root.resolve("t").toString()));
        argv.addAll(List.of(arguments));
        return Command.of(argv);
    }

    private String screen() {
        return tmux("capture-pane", "-p").run().out();
    }

    private void press(String... keys) {
        String[] words = new String[keys.length + 1];
        words[0] = "send-keys";
        System.arraycopy(keys, 0, words, 1, keys.length);
        tmux(words).run().ok();
    }

    private void ask(String host) {
        sallyport.sallyport("exec", "box", "--", "getent", "hosts", host).run();
    }

    @Test
    void aPersonSeesWhatIsDeniedAndAllowsItOnceOrForTheSessionWithOneKey()
            throws InterruptedException {
        String command =
                ShellWords.quote(List.of(Path.of("sallyport").toAbsolutePath().toString(), "watch"))
                        + "; s=$?; stty -a | grep -oE ' (echo|icanon) '; echo \"status $s.\"; sleep 600";
        tmux("new-session", "-d", "-x", "110", "-y", "30", command)
                .with("SALLYPORT_HOME", sallyport.home().toString())
                .run()
                .ok();
        Await.until(() -> screen().contains("box") && screen().contains("running"));

        ask(DENIED);
        Await.until(() -> screen().contains("DNS lookup of " + DENIED));
        assertThat(screen()).contains("denied", "name-not-allowed", "1 denied", "session.create");
        press("d");
        Await.until(() -> !screen().contains("session.create"));
        press("/");
        press("-l", "nothing-has-this");
        Await.until(() -> !screen().contains("DNS lookup"));
        press("Escape");
        press("/");
        tmux("send-keys", "-N", "20", "BSpace").run().ok();
        press("Enter");
        Await.until(() -> screen().contains("DNS lookup"));
        press("?");
        Await.until(() -> screen().contains("only what was denied"));
        press("x");
        press("Enter");
        Await.until(() -> screen().contains("to allow it: sallyport allow box " + DENIED));
        press("x");
        allowsOnce();
        press("g");
        press("a");
        Await.until(() -> screen().contains("allow " + DENIED + " to box for this session? y/n"));
        String whole = DENIED + "  (--allow)";
        assertThat(sallyport.sallyport("show", "box").run().ok()).doesNotContain(whole);
        press("y");
        Await.until(() -> screen().contains("box may reach " + DENIED + " now"));
        assertThat(sallyport.sallyport("show", "box").run().ok()).contains(whole);

        tmux("resize-window", "-x", "50", "-y", "15").run().ok();
        press("Space");
        Await.until(() -> screen().contains("PAUSED"));
        assertThat(screen().lines().count()).isLessThanOrEqualTo(15);
        press("q");
        Await.until(() -> screen().contains("status 0."));
        assertThat(screen()).as("the terminal is as it was").contains(" echo\n", " icanon\n");
    }

    /// The selected line is about the denied host; the answer is no.
    private void allowsOnce() throws InterruptedException {
        press("o");
        Await.until(
                () ->
                        screen().contains(
                                        "let the next connection of box to "
                                                + DENIED
                                                + " wait for your answer? y/n"));
        press("y");
        Await.until(() -> screen().contains("box can try again"));
        assertThat(sallyport.sallyport("show", "box").run().ok()).contains(DENIED + "  ask");
        Process trying =
                sallyport
                        .sallyport("exec", "box", "--", "curl", "-sS", "https://" + DENIED + "/")
                        .start();
        Await.until(() -> screen().contains("? box wants: one connection to " + DENIED + ":443"));
        press("v");
        Await.until(() -> screen().contains("CONNECT " + DENIED + ":443"));
        press("n");
        Await.until(() -> screen().contains("approval-denied"));
        assertThat(trying.waitFor()).isNotZero();
    }

    @Test
    void aScriptReadsOneDocumentPerLine() throws Exception {
        Process watch = sallyport.sallyport("watch", "box", "--follow", "--json").start();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(watch.getInputStream(), StandardCharsets.UTF_8))) {
            // It may not look yet when the first is asked for.
            AtomicBoolean found = new AtomicBoolean();
            Thread asking =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 100 && !found.get(); i++) {
                                            ask("n" + i + "." + DENIED);
                                        }
                                    });
            String line = lines.readLine();
            while (!line.contains("dns.denied")) {
                assertThat(line).startsWith("{\"seq\":").contains("\"session\":");
                line = lines.readLine();
            }
            found.set(true);
            asking.join();
            assertThat(line).contains(DENIED, "\"decision\":\"deny\"");
        } finally {
            watch.destroy();
        }
    }
}
