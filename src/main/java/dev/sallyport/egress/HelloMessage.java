package dev.sallyport.egress;

import dev.sallyport.egress.ClientHello.Flaw;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The content of a ClientHello, once all of it is there. Every length must add up to the byte.
final class HelloMessage {
    private static final int HEADER_BYTES = 4;
    private static final int RANDOM_BYTES = 32;
    private static final int SESSION_ID_BYTES_MAX = 32;
    private static final int OLDEST_VERSION = 0x0301;
    private static final int NEWEST_VERSION = 0x0303;

    private static final int SERVER_NAME = 0;
    private static final int ALPN = 16;
    private static final int EARLY_DATA = 42;
    private static final int HOST_NAME = 0;

    /// Encrypted Client Hello, its drafts that were deployed, and ESNI before it.
    private static final Set<Integer> HIDING =
            Set.of(0xfe0d, 0xfe0c, 0xfe0b, 0xfe0a, 0xfe09, 0xfe08, 0xff02, 0xff03, 0xffce, 0xfd00);

    private final Set<Integer> seen = new HashSet<>();
    private String name = "";
    private List<String> alpn = List.of();

    private HelloMessage() {}

    /// @param message with the four bytes of its header
    /// @param bytes how many it took on the wire
    static ClientHello.Hello parse(byte[] message, int bytes) throws BadHello {
        HelloMessage hello = new HelloMessage();
        hello.read(new HelloCursor(message, HEADER_BYTES, message.length));
        return new ClientHello.Hello(hostName(hello.name), hello.alpn, bytes);
    }

    private void read(HelloCursor in) throws BadHello {
        int version = in.u16();
        if (version < OLDEST_VERSION || version > NEWEST_VERSION) {
            throw new BadHello(Flaw.NOT_TLS);
        }
        in.skip(RANDOM_BYTES);
        HelloCursor sessionId = in.vector8();
        HelloCursor suites = in.vector16();
        HelloCursor compressions = in.vector8();
        boolean fits =
                sessionId.left() <= SESSION_ID_BYTES_MAX
                        && suites.left() >= 2
                        && suites.left() % 2 == 0
                        && compressions.left() >= 1;
        if (!fits) {
            throw new BadHello(Flaw.MALFORMED);
        }
        if (in.left() > 0) {
            HelloCursor extensions = in.vector16();
            in.requireEnd();
            while (extensions.left() > 0) {
                extension(extensions.u16(), extensions.vector16());
            }
        }
        if (!seen.contains(SERVER_NAME)) {
            throw new BadHello(Flaw.NO_NAME);
        }
    }

    private void extension(int type, HelloCursor data) throws BadHello {
        if (!seen.add(type)) {
            throw new BadHello(Flaw.MALFORMED);
        }
        if (HIDING.contains(type)) {
            throw new BadHello(Flaw.HIDDEN_NAME);
        }
        switch (type) {
            case SERVER_NAME -> name = serverName(data);
            case ALPN -> alpn = protocols(data);
            case EARLY_DATA -> throw new BadHello(Flaw.EARLY_DATA);
            default -> {
                // What else there may be is between the sandbox and the host.
            }
        }
    }

    /// RFC 6066, section 3, with a list of exactly one.
    private static String serverName(HelloCursor data) throws BadHello {
        HelloCursor list = data.vector16();
        data.requireEnd();
        int type = list.u8();
        HelloCursor entry = list.vector16();
        if (type != HOST_NAME || list.left() > 0) {
            throw new BadHello(Flaw.BAD_NAME);
        }
        return entry.text();
    }

    /// RFC 7301, section 3.1.
    private static List<String> protocols(HelloCursor data) throws BadHello {
        HelloCursor list = data.vector16();
        data.requireEnd();
        List<String> protocols = new ArrayList<>();
        do {
            String protocol = list.vector8().text();
            if (protocol.isEmpty()) {
                throw new BadHello(Flaw.MALFORMED);
            }
            protocols.add(protocol);
        } while (list.left() > 0);
        return protocols;
    }

    private static HostName hostName(String text) throws BadHello {
        try {
            return HostName.parse(AsciiCase.lower(text));
        } catch (MalformedNameException e) {
            throw new BadHello(Flaw.BAD_NAME);
        }
    }

    /// Walks over bytes whose lengths are claims of the sandbox.
    private static final class HelloCursor {
        private final byte[] bytes;
        private final int end;
        private int at;

        HelloCursor(byte[] bytes, int from, int end) {
            this.bytes = bytes;
            this.at = from;
            this.end = end;
        }

        int left() {
            return end - at;
        }

        int u8() throws BadHello {
            require(1);
            return bytes[at++] & 0xff;
        }

        int u16() throws BadHello {
            return u8() << 8 | u8();
        }

        void skip(int count) throws BadHello {
            require(count);
            at += count;
        }

        HelloCursor vector8() throws BadHello {
            return part(u8());
        }

        HelloCursor vector16() throws BadHello {
            return part(u16());
        }

        private HelloCursor part(int count) throws BadHello {
            require(count);
            at += count;
            return new HelloCursor(bytes, at - count, at);
        }

        private void require(int count) throws BadHello {
            if (left() < count) {
                throw new BadHello(Flaw.MALFORMED);
            }
        }

        void requireEnd() throws BadHello {
            if (left() > 0) {
                throw new BadHello(Flaw.MALFORMED);
            }
        }

        /// One character per byte, so that nothing is lost before it is judged.
        String text() {
            return new String(bytes, at, left(), StandardCharsets.ISO_8859_1);
        }
    }

    /// Ends the reading of a hello.
    static final class BadHello extends Exception {
        private static final long serialVersionUID = 1L;

        private final ClientHello.Flaw flaw;

        BadHello(ClientHello.Flaw flaw) {
            super(flaw.label(), null, false, false);
            this.flaw = flaw;
        }

        ClientHello.Flaw flaw() {
            return flaw;
        }
    }
}
