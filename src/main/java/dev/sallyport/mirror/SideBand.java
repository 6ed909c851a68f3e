package dev.sallyport.mirror;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// The pack in upstream's answer to a fetch: acknowledgements are skipped, band 1 is the pack, the
/// words on band 2 are dropped because nobody upstream talks to a sandbox, band 3 is a failure.
final class SideBand extends InputStream {
    /// One line answers our one round; a server that repeats itself is tolerated up to here.
    private static final int ACKNOWLEDGEMENTS_MAX = 1_024;

    private final InputStream answer;
    private final PktInput packets;
    private byte @Nullable [] packet = {};
    private int position;
    private boolean begun;

    /// @param answer closed with this stream
    SideBand(InputStream answer) {
        this.answer = answer;
        this.packets = new PktInput(answer);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (!begun) {
            begun = true;
            skipAcknowledgements();
        }
        while (packet != null && position == packet.length) {
            advance();
        }
        if (packet == null) {
            return -1;
        }
        int taken = Math.min(length, packet.length - position);
        System.arraycopy(packet, position, target, offset, taken);
        position += taken;
        return taken;
    }

    private void skipAcknowledgements() throws IOException {
        for (int lines = 0; lines < ACKNOWLEDGEMENTS_MAX; lines++) {
            byte[] next = packets.next();
            if (next == null || next.length == 0) {
                throw new WireException("a pack follows the acknowledgements");
            }
            if (next[0] <= 3) {
                accept(next);
                return;
            }
            String word = new String(next, 0, Math.min(4, next.length), StandardCharsets.US_ASCII);
            if (word.equals("ERR ")) {
                throw new MovedException();
            }
            if (!word.equals("ACK ") && !word.startsWith("NAK")) {
                throw new WireException("a fetch is answered by ACK or NAK");
            }
        }
        throw new WireException("there are too many acknowledgements");
    }

    private void advance() throws IOException {
        byte[] next = packets.next();
        if (next == null) {
            packet = null;
            packets.requireEnd();
        } else {
            accept(next);
        }
    }

    private void accept(byte[] next) throws IOException {
        int band = next.length == 0 ? 0 : next[0];
        switch (band) {
            case 1 -> {
                packet = next;
                position = 1;
            }
            case 2 -> {}
            case 3 -> throw new MovedException();
            default -> throw new WireException("a packet of a fetch is on band 1, 2 or 3");
        }
    }

    @Override
    public void close() throws IOException {
        answer.close();
    }
}
