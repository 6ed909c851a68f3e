package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.UpstreamLimits;
import dev.sallyport.git.TestPki;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/// A client of HTTP/2 inside, a host of HTTP/2 outside, both held by the test frame by frame, and
/// the web door between them.
final class Http2Rig implements AutoCloseable {
    private static final TestPki PKI = new TestPki();
    private static final int READ_MILLIS_MAX = 60_000;

    static final String OK = ":status: 200";

    final ScriptedHost host;
    final WebRig web;
    private final List<Socket> sockets = new ArrayList<>();

    private Http2Rig(ScriptedHost host, UnaryOperator<WebRule> rule) {
        this.host = host;
        this.web =
                new WebRig(
                        WebRig.Terms.encrypted().with(UpstreamLimits.PATIENT).overHttp2(),
                        rule.apply(new WebRule(host.dial(), Optional.of(PKI.caPem()))).done());
    }

    static Http2Rig of(ScriptedHost.Http2Script script, int... settings) throws IOException {
        return of(UnaryOperator.identity(), script, settings);
    }

    static Http2Rig of(
            UnaryOperator<WebRule> rule, ScriptedHost.Http2Script script, int... settings)
            throws IOException {
        return new Http2Rig(
                ScriptedHost.http2(PKI.server(WebRig.HOST.value()), script, settings), rule);
    }

    /// A host that speaks HTTP/1.1 only.
    static Http2Rig old(ScriptedHost.Script script) throws IOException {
        return old(UnaryOperator.identity(), script);
    }

    static Http2Rig old(UnaryOperator<WebRule> rule, ScriptedHost.Script script)
            throws IOException {
        return new Http2Rig(ScriptedHost.tls(PKI.server(WebRig.HOST.value()), script), rule);
    }

    Http2Peer client(int... settings) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), web.port());
        socket.setSoTimeout(READ_MILLIS_MAX);
        sockets.add(socket);
        return Http2Peer.client(socket.getInputStream(), socket.getOutputStream(), settings);
    }

    /// For a script.
    static void until(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static String[] asked(String method, String... more) {
        List<String> fields =
                new ArrayList<>(
                        List.of(
                                ":method: " + method,
                                ":scheme: https",
                                ":authority: " + WebRig.HOST.value(),
                                ":path: /pkg.Service/Call"));
        fields.addAll(List.of(more));
        return fields.toArray(String[]::new);
    }

    /// All that a GET gets, frame by frame.
    List<String> get() throws IOException {
        Http2Peer client = client();
        client.head(1, Http2Peer.END_STREAM, asked("GET"));
        return client.rest(1);
    }

    /// The gateway said no, in an answer of its own or in the middle of the host's, and recorded
    /// it.
    void assertNoAnswer(List<String> answer) {
        assertThat(answer)
                .containsAnyOf(
                        "sallyport-reason: upstream-misbehaved",
                        "sallyport-reason: upstream-unreachable",
                        "reset");
        Await.until(() -> web.recorded("egress.failed").size() == 1);
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        web.close();
        host.close();
    }
}
