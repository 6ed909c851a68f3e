package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Ownership;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the store has confirmed survives a kill at any moment.
class SessionDurabilityIT {
    private static final int KILLS = 4;

    @TempDir Path directory;

    @Test
    void losesNoConfirmedSessionWhenKilled() throws Exception {
        Path database = directory.resolve("state.db");
        Path libraries = directory.resolve("native");
        Ownership.createPrivateDirectory(libraries);
        Set<String> confirmed = new HashSet<>();
        for (int kill = 0; kill < KILLS; kill++) {
            confirmed.addAll(insertUntilKilled(database, libraries, "run" + kill));
            try (SessionStore store = SqliteSessionStore.open(database, libraries)) {
                List<Session> all = store.contents().sessions();
                assertThat(all).extracting(Session::name).containsAll(confirmed);
                for (Session session : all) {
                    boolean counted = session.usage().equals(new Usage(1, 2, 3));
                    assertThat(counted || !confirmed.contains(session.name())).isTrue();
                }
            }
        }
        assertThat(confirmed).hasSizeGreaterThanOrEqualTo(KILLS * 10);
    }

    private static List<String> insertUntilKilled(Path database, Path libraries, String prefix)
            throws Exception {
        Process child =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                InsertingChild.class.getName(),
                                database.toString(),
                                libraries.toString(),
                                prefix)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader answers = child.inputReader()) {
            Set<String> names = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                names.add(String.valueOf(answers.readLine()));
            }
            child.destroyForcibly();
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return List.copyOf(names);
        } finally {
            child.destroyForcibly();
        }
    }
}
