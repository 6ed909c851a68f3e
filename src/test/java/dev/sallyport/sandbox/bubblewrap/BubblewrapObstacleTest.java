package dev.sallyport.sandbox.bubblewrap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BubblewrapObstacleTest {
    @TempDir Path sysctl;

    private void set(String name, String value) throws Exception {
        Path file = sysctl.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, value + "\n");
    }

    @Test
    void theSettingThatStandsInTheWayIsNamedWithItsRemedy() throws Exception {
        assertThat(BubblewrapObstacle.explain(sysctl, "bwrap: no")).contains("bwrap: no");
        set("kernel/apparmor_restrict_unprivileged_userns", "1");
        assertThat(BubblewrapObstacle.explain(sysctl, ""))
                .contains("AppArmor", "apparmor_restrict_unprivileged_userns=0");
        set("kernel/unprivileged_userns_clone", "0");
        assertThat(BubblewrapObstacle.explain(sysctl, "")).contains("unprivileged_userns_clone=1");
        set("user/max_user_namespaces", "0");
        assertThat(BubblewrapObstacle.explain(sysctl, "")).contains("max_user_namespaces=");
    }

    @Test
    void whatHasWorkedIsNotTriedAgainUntilASandboxCannotBeMade() {
        AtomicInteger trials = new AtomicInteger();
        AtomicReference<Optional<String>> reason = new AtomicReference<>(Optional.of("no"));
        BubblewrapObstacle obstacle =
                new BubblewrapObstacle(
                        _ -> {
                            trials.incrementAndGet();
                            return reason.get();
                        });

        assertThat(obstacle.find(Guise.OWN)).contains("no");
        reason.set(Optional.empty());
        assertThat(obstacle.find(Guise.OWN)).isEmpty();
        assertThat(trials).hasValue(2);

        reason.set(Optional.of("no more"));
        assertThat(obstacle.find(Guise.OWN)).isEmpty();
        assertThat(trials).hasValue(2);
        obstacle.doubt();
        assertThat(obstacle.find(Guise.OWN)).contains("no more");
    }

    @Test
    void onlyOptionsThatBubblewrapKnowsAreUsed() {
        assertThat(BubblewrapFeatures.of("--size BYTES  --perms OCTAL"))
                .isEqualTo(new BubblewrapFeatures(true, true));
        assertThat(BubblewrapFeatures.of("--tmpfs DEST"))
                .isEqualTo(new BubblewrapFeatures(false, false));
    }
}
