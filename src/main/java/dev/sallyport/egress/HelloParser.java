package dev.sallyport.egress;

import dev.sallyport.egress.ClientHello.Flaw;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/// Our own strict reader of a TLS ClientHello (RFC 8446, sections 4.1.2 and 5.1), fed with bytes as
/// they arrive. How they are cut into segments or records changes nothing: fragments that other
/// readers lost track of are how server names were smuggled past them (CVE-2026-75595).
///
/// It looks at each byte once and holds the message, never more than the limit.
final class HelloParser {
    private static final int RECORD_HEADER_BYTES = 5;
    private static final int MESSAGE_HEADER_BYTES = 4;
    private static final int FRAGMENT_BYTES_MAX = 1 << 14;
    private static final int BODY_BYTES_MIN = 41;
    private static final int HANDSHAKE = 22;
    private static final int CLIENT_HELLO = 1;

    private final int bytesMax;
    private final byte[] recordHeader = new byte[RECORD_HEADER_BYTES];
    private int recordHeaderBytes;
    private int fragmentLeft;
    private byte[] message = new byte[MESSAGE_HEADER_BYTES];
    private int messageBytes;
    private int bytes;

    HelloParser(int bytesMax) {
        this.bytesMax = bytesMax;
    }

    /// Reads `arrived` as far as it belongs to the hello. Not called again after any answer but
    /// [ClientHello.NeedMore].
    ClientHello read(ByteBuf arrived) {
        try {
            while (arrived.isReadable()) {
                if (bytes == bytesMax) {
                    throw new HelloMessage.BadHello(Flaw.TOO_LARGE);
                }
                if (fragmentLeft == 0) {
                    bytes++;
                    header(arrived.readByte());
                } else {
                    fragment(arrived);
                    if (isWhole()) {
                        return HelloMessage.parse(message, bytes);
                    }
                }
            }
            return new ClientHello.NeedMore();
        } catch (HelloMessage.BadHello e) {
            return new ClientHello.Bad(e.flaw());
        }
    }

    /// Wrong bytes are told at once, so that whoever speaks another protocol need not wait for a
    /// deadline.
    private void header(byte next) throws HelloMessage.BadHello {
        recordHeader[recordHeaderBytes++] = next;
        boolean fits =
                switch (recordHeaderBytes) {
                    case 1 -> next == HANDSHAKE;
                    case 2 -> next == 3;
                    case 3 -> next >= 1 && next <= 3;
                    default -> true;
                };
        if (!fits) {
            throw new HelloMessage.BadHello(Flaw.NOT_TLS);
        }
        if (recordHeaderBytes == RECORD_HEADER_BYTES) {
            recordHeaderBytes = 0;
            fragmentLeft = (recordHeader[3] & 0xff) << 8 | (recordHeader[4] & 0xff);
            if (fragmentLeft == 0 || fragmentLeft > FRAGMENT_BYTES_MAX) {
                throw new HelloMessage.BadHello(Flaw.MALFORMED);
            }
        }
    }

    private void fragment(ByteBuf arrived) throws HelloMessage.BadHello {
        int room = Math.min(message.length - messageBytes, bytesMax - bytes);
        int taken = Math.min(Math.min(fragmentLeft, room), arrived.readableBytes());
        arrived.readBytes(message, messageBytes, taken);
        messageBytes += taken;
        bytes += taken;
        fragmentLeft -= taken;
        if (messageBytes == MESSAGE_HEADER_BYTES && message.length == MESSAGE_HEADER_BYTES) {
            makeRoom();
        }
    }

    private void makeRoom() throws HelloMessage.BadHello {
        if (message[0] != CLIENT_HELLO) {
            throw new HelloMessage.BadHello(Flaw.NOT_TLS);
        }
        int body = (message[1] & 0xff) << 16 | (message[2] & 0xff) << 8 | (message[3] & 0xff);
        if (body < BODY_BYTES_MIN) {
            throw new HelloMessage.BadHello(Flaw.MALFORMED);
        }
        if (body > bytesMax) {
            throw new HelloMessage.BadHello(Flaw.TOO_LARGE);
        }
        message = Arrays.copyOf(message, MESSAGE_HEADER_BYTES + body);
    }

    /// Nothing may share a record with a hello: no client has anything else to say yet.
    private boolean isWhole() throws HelloMessage.BadHello {
        boolean whole = messageBytes == message.length;
        if (whole && fragmentLeft > 0) {
            throw new HelloMessage.BadHello(Flaw.MALFORMED);
        }
        return whole;
    }
}
