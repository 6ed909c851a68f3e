package dev.sallyport.git;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/// A TLS server that answers whatever a test wants, byte for byte.
public final class HostileUpstream implements AutoCloseable {
    /// What it does with a connection once the request's head is there.
    public interface Script {
        void run(Socket connection, String head) throws IOException, InterruptedException;
    }

    private static final int UNREAD_BYTES_MAX = 1 << 20;
    private static final int UNREAD_MILLIS_MAX = 2_000;

    private final SSLServerSocket listener;
    private final Script script;
    private final List<String> heads = new CopyOnWriteArrayList<>();

    public HostileUpstream(SSLContext tls, Script script) throws IOException {
        this.script = script;
        this.listener =
                (SSLServerSocket)
                        tls.getServerSocketFactory()
                                .createServerSocket(0, 16, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /// Says this and closes.
    public static Script saying(String answer) {
        return (connection, _) -> say(connection, answer);
    }

    public static void say(Socket connection, String text) throws IOException {
        connection.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        connection.getOutputStream().flush();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket connection = listener.accept();
                Thread.ofVirtual().start(() -> serve(connection));
            } catch (IOException _) {
                return;
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            String head = head(connection.getInputStream());
            if (!head.isEmpty()) {
                heads.add(head);
                script.run(connection, head);
                end(connection);
            }
        } catch (IOException _) {
            // The gateway hung up, which is what most of these tests want.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Closing with unread bytes resets the connection, and what was said last may not arrive.
    private static void end(Socket connection) throws IOException {
        if (!connection.isClosed()) {
            connection.setSoTimeout(UNREAD_MILLIS_MAX);
            connection.shutdownOutput();
            connection.getInputStream().skip(UNREAD_BYTES_MAX);
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) {
                return "";
            }
            head.append((char) c);
        }
        return head.toString();
    }

    public int port() {
        return listener.getLocalPort();
    }

    public String dial() {
        return "127.0.0.1:" + port();
    }

    /// The heads of all requests that arrived.
    public List<String> heads() {
        return heads;
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
