package dev.sallyport.egress;

import java.io.IOException;
import java.util.HexFormat;

/// What hosts answer to a hello.
final class Answers {
    static final byte[] SERVER_HELLO = serverHello("11".repeat(32));
    static final byte[] HELLO_RETRY =
            serverHello("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");

    private Answers() {}

    private static byte[] serverHello(String random) {
        return HexFormat.of().parseHex("160303002a020000260303" + random + "00130100");
    }

    /// Answers the hello and sends back what follows.
    static void echo(TcpUpstream.Peer peer) throws IOException {
        hello(peer);
        peer.say(SERVER_HELLO);
        for (byte[] piece = peer.take(1); piece.length > 0; piece = peer.take(1)) {
            peer.say(piece);
        }
    }

    /// Reads one hello, in whatever records.
    static void hello(TcpUpstream.Peer peer) throws IOException {
        int message = 0;
        int expected = 4;
        while (message < expected) {
            byte[] header = peer.take(5);
            if (header.length < 5) {
                throw new IOException("no hello");
            }
            byte[] fragment = peer.take((header[3] & 0xff) << 8 | (header[4] & 0xff));
            if (message <= 3 && message + fragment.length > 3) {
                expected = 4 + lengthIn(peer);
            }
            message += fragment.length;
        }
    }

    /// The three bytes of length, picked out of the records that have arrived.
    private static int lengthIn(TcpUpstream.Peer peer) {
        byte[] all = peer.received();
        int at = 0;
        int seen = 0;
        int length = 0;
        while (at < all.length && seen < 4) {
            int fragment = (all[at + 3] & 0xff) << 8 | (all[at + 4] & 0xff);
            for (int i = 0; i < fragment && seen < 4; i++, seen++) {
                length = seen == 0 ? 0 : length << 8 | (all[at + 5 + i] & 0xff);
            }
            at += 5 + fragment;
        }
        return length;
    }
}
