package dev.sallyport.egress;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/// A host that answers whatever a test wants, byte for byte, with or without TLS.
public final class ScriptedHost implements AutoCloseable {
    /// What it does with one connection.
    public interface Script {
        void run(Peer peer) throws IOException;
    }

    /// What it does with one connection of HTTP/2.
    public interface Http2Script {
        void run(Http2Peer peer) throws IOException;
    }

    private final ServerSocket listener;
    private final Optional<SSLContext> tls;
    private volatile List<String> protocols = List.of();
    private final Script script;

    /// When it begins to talk with whoever has connected.
    volatile CountDownLatch awake = new CountDownLatch(0);

    public final List<Peer> peers = new CopyOnWriteArrayList<>();

    private ScriptedHost(Optional<SSLContext> tls, Script script) throws IOException {
        this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        this.tls = tls;
        this.script = script;
        Thread.ofVirtual().start(this::accept);
    }

    static ScriptedHost plain(Script script) throws IOException {
        return new ScriptedHost(Optional.empty(), script);
    }

    public static ScriptedHost tls(SSLContext tls, Script script) throws IOException {
        return new ScriptedHost(Optional.of(tls), script);
    }

    /// One that speaks HTTP/2 and nothing else.
    ///
    /// @param settings pairs of identifier and value
    static ScriptedHost http2(SSLContext tls, Http2Script script, int... settings)
            throws IOException {
        ScriptedHost host =
                tls(
                        tls,
                        peer -> {
                            peer.listed();
                            script.run(
                                    Http2Peer.host(
                                            peer.in, peer.socket.getOutputStream(), settings));
                        });
        host.protocols = List.of("h2");
        return host;
    }

    /// Answers every request of every connection with this, and goes on.
    public static Script answering(String answer) {
        return peer -> {
            while (!peer.head().isEmpty()) {
                peer.readBody();
                peer.say(answer);
            }
        };
    }

    /// Says this once and closes.
    static Script saying(String answer) {
        return peer -> {
            peer.head();
            peer.say(answer);
        };
    }

    public static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket accepted = listener.accept();
                Thread.ofVirtual().start(() -> serve(accepted));
            } catch (IOException _) {
                return;
            }
        }
    }

    private void serve(Socket accepted) {
        try (accepted) {
            awake.await();
            byte[] hello = tls.isEmpty() ? new byte[0] : hello(accepted.getInputStream());
            Peer peer = new Peer(accepted, secured(accepted, hello), offersTicket(hello));
            try (peer.socket) {
                script.run(peer);
            } finally {
                peer.over = true;
            }
        } catch (IOException _) {
            // The gateway hung up, which is what many of these tests want.
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Socket secured(Socket accepted, byte[] hello) throws IOException {
        if (tls.isEmpty()) {
            return accepted;
        }
        SSLSocket secured =
                (SSLSocket)
                        tls.get()
                                .getSocketFactory()
                                .createSocket(accepted, new ByteArrayInputStream(hello), true);
        SSLParameters parameters = secured.getSSLParameters();
        parameters.setApplicationProtocols(protocols.toArray(String[]::new));
        secured.setSSLParameters(parameters);
        return secured;
    }

    private static byte[] hello(InputStream in) throws IOException {
        byte[] header = in.readNBytes(5);
        if (header.length < 5) {
            throw new IOException("no hello");
        }
        int length = ByteBuffer.wrap(header).getShort(3) & 0xFFFF;
        byte[] record = Arrays.copyOf(header, 5 + length);
        in.readNBytes(record, 5, length);
        return record;
    }

    /// Whether the hello has the extension `pre_shared_key` (RFC 8446, section 4.2.11).
    private static boolean offersTicket(byte[] hello) {
        if (hello.length == 0) {
            return false;
        }
        ByteBuffer in = ByteBuffer.wrap(hello).position(5 + 4 + 2 + 32);
        in.position(in.get() + in.position());
        in.position(in.getShort() + in.position());
        in.position(in.get() + in.position());
        in.getShort();
        while (in.hasRemaining()) {
            if (in.getShort() == 41) {
                return true;
            }
            in.position(in.getShort() + in.position());
        }
        return false;
    }

    public String dial() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /// The heads of all requests that arrived.
    public List<String> heads() {
        return peers.stream().flatMap(peer -> peer.heads.stream()).toList();
    }

    /// Every byte that arrived.
    String received() {
        StringBuilder all = new StringBuilder();
        peers.forEach(peer -> all.append(peer.received()));
        return all.toString();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Peer peer : peers) {
            peer.socket.close();
        }
    }

    /// The gateway, as the host sees it. It is listed once it has said something.
    public final class Peer {
        private final Socket accepted;
        private final Socket socket;
        private final InputStream in;
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();
        public final List<String> heads = new CopyOnWriteArrayList<>();
        private String head = "";
        public volatile boolean over;

        /// Whether it offered to go on with an earlier TLS session.
        public final boolean resuming;

        Peer(Socket accepted, Socket socket, boolean resuming) throws IOException {
            this.resuming = resuming;
            this.accepted = accepted;
            this.socket = socket;
            this.in = socket.getInputStream();
        }

        /// The next head, or nothing when the gateway has closed.
        public String head() throws IOException {
            StringBuilder text = new StringBuilder();
            while (text.indexOf("\r\n\r\n") < 0) {
                int c = read();
                if (c < 0) {
                    return "";
                }
                text.append((char) c);
            }
            head = text.toString();
            heads.add(head);
            return head;
        }

        int read() throws IOException {
            int c = in.read();
            if (c >= 0) {
                synchronized (received) {
                    received.write(c);
                }
                listed();
            }
            return c;
        }

        private void listed() {
            if (!peers.contains(this)) {
                peers.add(this);
            }
        }

        /// How much of the TLS record that was read last is not read yet.
        public int unreadBytes() throws IOException {
            return in.available();
        }

        /// Reads the body that the last head announced.
        public String readBody() throws IOException {
            int start = received().length();
            String lower = head.toLowerCase(java.util.Locale.ROOT);
            if (lower.contains("transfer-encoding: chunked")) {
                while (!received().substring(start).endsWith("0\r\n\r\n")) {
                    if (read() < 0) {
                        return received().substring(start);
                    }
                }
            } else if (lower.contains("content-length: ")) {
                int at = lower.indexOf("content-length: ") + 16;
                int length = Integer.parseInt(lower.substring(at, lower.indexOf('\r', at)));
                for (int i = 0; i < length && read() >= 0; i++) {}
            }
            return received().substring(start);
        }

        /// Reads until the gateway closes.
        public void drain() throws IOException {
            while (read() >= 0) {}
        }

        void skip(long bytes) throws IOException {
            in.skipNBytes(bytes);
        }

        public void say(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
        }

        /// Closes without saying so: a cut, not an end.
        void cut() throws IOException {
            accepted.close();
        }

        String received() {
            synchronized (received) {
                return received.toString(StandardCharsets.ISO_8859_1);
            }
        }
    }
}
