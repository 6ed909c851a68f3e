package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.ChannelServer;
import dev.sallyport.channel.Message;
import dev.sallyport.channel.WardenListener;
import dev.sallyport.config.SealedFiles;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.fixture.Await;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a gateway does by itself about sessions of other machines.
class FleetUpkeepTest {
    private static final Logger LOG = Logger.getLogger(FleetUpkeep.class.getName());

    @TempDir Path temporary;
    private SharedGateway rig;

    /// What the gateway process was told of who may come in.
    private final List<Integer> badges = new CopyOnWriteArrayList<>();

    private final Lines lines = new Lines();

    /// What the log says.
    private static final class Lines extends Handler {
        private final List<String> said = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord line) {
            said.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void begin() throws Exception {
        rig = new SharedGateway(temporary);
        LOG.addHandler(lines);
    }

    @AfterEach
    void close() throws IOException {
        LOG.removeHandler(lines);
        rig.close();
    }

    /// To a process that has not connected yet.
    private GatewayLink link() throws IOException {
        GatewayLink link =
                new GatewayLink(
                        new AttachMessages(
                                rig.parts.live::current,
                                new SecretFiles(
                                        new SealedFiles(
                                                rig.parts.home.secrets(), Optional.empty())),
                                rig.parts.apps,
                                rig.parts.authorities,
                                _ -> Usage.NONE,
                                id -> {
                                    Message.Badges said = rig.fleet.badges(id);
                                    badges.add(said.badges().size());
                                    return said;
                                }),
                        rig.leases);
        link.begin(
                ChannelServer.open(
                        rig.parts.loops.next(),
                        Files.createDirectory(temporary.resolve("c")),
                        OptionalInt.empty(),
                        (WardenListener)
                                Proxy.newProxyInstance(
                                        WardenListener.class.getClassLoader(),
                                        new Class<?>[] {WardenListener.class},
                                        (_, method, _) -> {
                                            throw new AssertionError(method.getName());
                                        })));
        return link;
    }

    private Session attached(GatewayLink link) throws Exception {
        HostId host = rig.enrolled("build-1");
        Session session = rig.elsewhere();
        rig.leases.mine.add(session.id());
        rig.files.get().badges().claim(session.id(), host, SessionBadges.SESSIONS_PER_HOST_MAX);
        var _ = rig.files.get().badges().issue(session.id(), host, SharedGateway.sidecar());
        var _ = link.attach(session, List.of(), OpenPorts.NONE, () -> {});
        return session;
    }

    /// The gateway process is told that nobody comes in, and told again when they may.
    @Test
    void i3_whoCannotSeeWhatOthersChangeClosesTheWayInAfterTwentySeconds() throws Exception {
        GatewayLink link = link();
        Session session = attached(link);
        FleetUpkeep upkeep =
                new FleetUpkeep(
                        rig.files, rig.fleet, rig.sandboxes, link, rig.neighbours, rig.sight);
        upkeep.lookNow();
        assertThat(badges).as("control").endsWith(1);
        badges.clear();
        rig.records.away = true;

        rig.clock.passSeconds(20);
        upkeep.look();
        assertThat(badges).isEmpty();
        assertThat(lines.said).noneMatch(line -> line.contains("come in"));
        rig.clock.passSeconds(1);
        upkeep.look();
        upkeep.look();
        assertThat(badges).as("told once").containsExactly(0);
        assertThat(lines.said)
                .filteredOn(line -> line.contains("come in"))
                .containsExactly("other machines cannot come in until the store answers");
        assertThat(rig.fleet.areGood(session.id())).as("its sandbox runs on").isTrue();

        rig.records.away = false;
        badges.clear();
        Await.until(
                "they can come in again",
                () -> {
                    upkeep.look();
                    return lines.said.contains("other machines can come in again");
                });
        assertThat(badges).endsWith(1);
    }

    @Test
    void whatIsLeftOfOthersIsSweptNowAndThen() throws Exception {
        rig.files.get();
        rig.upkeep.settle();
        assertThat(rig.records.swept).containsExactly("inspection");
        for (int i = 1; i < 20; i++) {
            rig.upkeep.settle();
        }
        assertThat(rig.records.swept).hasSize(1);
        rig.upkeep.settle();
        assertThat(rig.records.swept).hasSize(2);
    }
}
