package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.GitService;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AdvertisementTest {
    private static final String A = "a".repeat(40);
    private static final String ZERO = "0".repeat(40);
    private static final String FLUSH = "<flush>";
    private static final String SERVICE = "# service=git-receive-pack\n";
    private static final String CAPS =
            "\0report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta"
                    + " push-options push-cert=nonce object-format=sha1 agent=git/2.39 surprise";
    private static final String KEPT =
            "\0report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta"
                    + " object-format=sha1 no-thin agent=sallyport/0.1";

    private static ByteBuf wire(String... packets) {
        ByteBuf out = Unpooled.buffer();
        for (String packet : packets) {
            if (packet.equals(FLUSH)) {
                PktLine.writeFlush(out);
            } else {
                PktLine.write(out, packet.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return out;
    }

    /// Feeds the packets in small pieces, as a network would.
    private static List<String> rewrite(String... packets) throws RefusedException {
        Advertisement filter =
                new Advertisement(GitService.RECEIVE_PACK, RefVisibility.all(), false);
        ByteBuf out = Unpooled.buffer();
        ByteBuf in = wire(packets);
        while (in.isReadable()) {
            filter.accept(in.readBytes(Math.min(7, in.readableBytes())), out::writeBytes);
        }
        filter.finish();
        filter.release();
        return packets(out);
    }

    private static List<String> packets(ByteBuf wire) throws RefusedException {
        List<String> packets = new ArrayList<>();
        PktReader reader = new PktReader(Refusal.INTERNAL);
        reader.offer(wire);
        for (PktLine next = reader.poll(); next != null; next = reader.poll()) {
            packets.add(
                    switch (next) {
                        case PktLine.Flush _ -> FLUSH;
                        case PktLine.Data data ->
                                new String(data.payload(), StandardCharsets.ISO_8859_1);
                    });
        }
        return packets;
    }

    private static void assertRefused(String... packets) {
        assertThatThrownBy(() -> rewrite(packets))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.UPSTREAM_MISBEHAVED));
    }

    @Test
    void g11OffersOnlyWhatIsOnTheList() throws Exception {
        assertThat(
                        rewrite(
                                SERVICE,
                                FLUSH,
                                A + " refs/heads/main" + CAPS + "\n",
                                A + " refs/heads/next\n",
                                FLUSH))
                .containsExactly(
                        SERVICE,
                        FLUSH,
                        A + " refs/heads/main" + KEPT + "\n",
                        A + " refs/heads/next\n",
                        FLUSH);
    }

    @Test
    void keepsTheFormOfVersionOneAndOfAnEmptyRepository() throws Exception {
        assertThat(
                        rewrite(
                                SERVICE,
                                FLUSH,
                                "version 1\n",
                                ZERO + " capabilities^{}" + CAPS + "\n",
                                FLUSH))
                .containsExactly(
                        SERVICE,
                        FLUSH,
                        "version 1\n",
                        ZERO + " capabilities^{}" + KEPT + "\n",
                        FLUSH);
    }

    @Test
    void dropsWhatIsNoRefOfThisRepository() throws Exception {
        assertThat(
                        rewrite(
                                SERVICE,
                                FLUSH,
                                A + " .have" + CAPS + "\n",
                                A + " refs/heads/\u001b[2J\n",
                                A + " refs/heads/\u00ff\n",
                                A + " refs/heads/main\n",
                                "shallow " + A + "\n",
                                FLUSH))
                .containsExactly(SERVICE, FLUSH, A + " refs/heads/main" + KEPT + "\n", FLUSH);
    }

    @Test
    void refusesWhatIsNoAdvertisementOfReceivePack() {
        String ref = A + " refs/heads/main" + CAPS + "\n";
        assertRefused(ref, FLUSH);
        assertRefused("# service=git-upload-pack\n", FLUSH, ref, FLUSH);
        assertRefused(SERVICE, ref, FLUSH);
        assertRefused(SERVICE, FLUSH, "version 2\n", FLUSH);
        assertRefused(SERVICE, FLUSH, A + " refs/heads/main\n", FLUSH);
        assertRefused(SERVICE, FLUSH, "ERR no\n");
        assertRefused(SERVICE, FLUSH, ref, FLUSH, ref);
        assertRefused(SERVICE, FLUSH, ref, FLUSH, FLUSH);
        assertRefused(SERVICE, FLUSH, "A".repeat(40) + " refs/heads/main" + CAPS, FLUSH);
        assertRefused(SERVICE, FLUSH, A + " refs/heads/main\0atomic", FLUSH);
    }

    @Test
    void saysThatOtherObjectNamesAreNotSupported() {
        String ref = "a".repeat(64) + " refs/heads/main\0report-status object-format=sha256";
        assertThatThrownBy(() -> rewrite(SERVICE, FLUSH, ref, FLUSH))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.SHA256_NOT_SUPPORTED));
    }

    @Test
    void refusesAnAdvertisementThatEndsEarly() {
        assertRefused(SERVICE, FLUSH);
        assertRefused(SERVICE, FLUSH, A + " refs/heads/main" + CAPS + "\n");
    }
}
