package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Real clients against the gateway's side of TLS.
class TlsInspectorTest {
    private static final String GET =
            "GET /a HTTP/1.1\r\nHost: " + InspectorRig.HOST + "\r\nConnection: close\r\n\r\n";
    private static final long MEBIBYTE = 1 << 20;

    @TempDir Path directory;

    private static SSLSocket connect(InspectorRig rig, String name) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(
                                        rig.authority
                                                .certificatePem()
                                                .getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), new SecureRandom());
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), rig.port());
        plain.setSoTimeout(60_000);
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(plain, name, 443, true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.setSSLParameters(parameters);
        return tls;
    }

    private Command.Result curl(InspectorRig rig, String... arguments) throws IOException {
        Path ca = directory.resolve("ca.pem");
        Files.writeString(ca, rig.authority.certificatePem());
        List<String> argv =
                new ArrayList<>(
                        List.of(
                                "curl",
                                "-q",
                                "-sS",
                                "-i",
                                "--noproxy",
                                "*",
                                "--cacert",
                                ca.toString(),
                                "--resolve",
                                InspectorRig.HOST + ":" + rig.port() + ":127.0.0.1"));
        argv.addAll(List.of(arguments));
        return Command.of(argv).run();
    }

    private static String url(InspectorRig rig, String path) {
        return "https://" + InspectorRig.HOST + ":" + rig.port() + path;
    }

    @Test
    void theJdkGetsACertificateForTheHostAndAnAnswer() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door);
                SSLSocket client = connect(rig, InspectorRig.HOST)) {
            client.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(answer)
                    .startsWith("HTTP/1.1 200 OK")
                    .contains("GET " + InspectorRig.HOST + "/a 0 bytes");
            assertThat(client.getSession().getProtocol()).isEqualTo("TLSv1.3");
            X509Certificate shown = (X509Certificate) client.getSession().getPeerCertificates()[0];
            assertThat(shown.getSubjectAlternativeNames())
                    .containsExactly(List.of(2, InspectorRig.HOST));
        }
    }

    @Test
    void curlIsServedOverBothProtocols() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door)) {
            assertThat(curl(rig, "--http1.1", url(rig, "/one")).ok())
                    .startsWith("HTTP/1.1 200")
                    .contains("/one 0 bytes");
            assertThat(curl(rig, "--http2", url(rig, "/two")).ok())
                    .startsWith("HTTP/2 200")
                    .contains("/two 0 bytes");
            assertThat(curl(rig, "--tls-max", "1.2", url(rig, "/three")).ok())
                    .startsWith("HTTP/2 200");
            assertThat(curl(rig, "--no-alpn", url(rig, "/four")).ok()).startsWith("HTTP/1.1 200");
            assertThat(door.heads).hasSize(4);
            Await.until(() -> rig.doorsOpen.get() == 0);
        }
    }

    @Test
    void largeBodiesPassInBothDirections() throws Exception {
        Path upload = directory.resolve("upload");
        Files.write(upload, new byte[(int) (3 * MEBIBYTE)]);
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door)) {
            for (String protocol : List.of("--http1.1", "--http2")) {
                assertThat(curl(rig, protocol, "--data-binary", "@" + upload, url(rig, "/up")).ok())
                        .contains(3 * MEBIBYTE + " bytes");
                Path answer = directory.resolve("answer");
                String bytes = Long.toString(8 * MEBIBYTE);
                curl(rig, protocol, "-o", answer.toString(), url(rig, "/flood/" + bytes)).ok();
                assertThat(Files.size(answer)).isGreaterThanOrEqualTo(8 * MEBIBYTE);
            }
        }
    }

    /// What the sandbox does not read is not collected here.
    @Test
    void aSlowReaderHoldsTheDoorBack() throws Exception {
        for (String protocol : List.of("--http1.1", "--http2")) {
            EchoDoor door = new EchoDoor();
            try (InspectorRig rig = new InspectorRig(door)) {
                Path answer = directory.resolve("answer" + protocol);
                long bytes = 256 * MEBIBYTE;
                Process slow =
                        Command.of(
                                        "curl",
                                        "-q",
                                        "-s",
                                        protocol,
                                        "--noproxy",
                                        "*",
                                        "--insecure",
                                        "--limit-rate",
                                        "64k",
                                        "--resolve",
                                        InspectorRig.HOST + ":" + rig.port() + ":127.0.0.1",
                                        "-o",
                                        answer.toString(),
                                        url(rig, "/flood/" + bytes))
                                .start();
                try {
                    Await.until(() -> isHeldBack(door, answer));
                } finally {
                    slow.destroyForcibly();
                }
            }
        }
    }

    /// However long it takes: what was produced is never far ahead of what was taken. True when
    /// something was taken.
    private static boolean isHeldBack(EchoDoor door, Path answer) {
        long taken = answer.toFile().length();
        assertThat(door.flooded.get() - taken).isLessThan(128 * MEBIBYTE);
        return taken > 0;
    }

    /// E11, CVE-2019-9512: what we owe to a sandbox that only asks does not pile up.
    @Test
    void e11_pingsWhoseAnswersNobodyReadsEndTheConnection() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door);
                SSLSocket client = connect(rig, InspectorRig.HOST)) {
            SSLParameters parameters = client.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            client.setSSLParameters(parameters);
            OutputStream out = client.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
            assertThat(client.getApplicationProtocol()).isEqualTo("h2");
            byte[] pings = new byte[17 * 1_000];
            for (int i = 0; i < pings.length; i += 17) {
                pings[i + 2] = 8;
                pings[i + 3] = 6;
            }
            assertThatThrownBy(
                            () -> {
                                // Closing may wait for its last words to be taken, for seconds.
                                long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
                                while (System.nanoTime() - end < 0) {
                                    out.write(pings);
                                }
                            })
                    .isInstanceOf(IOException.class);
            Await.until(() -> rig.doorsOpen.get() == 0);
        }
    }

    /// E3: the hello names another host than the one that was permitted.
    @Test
    void e3_refusesAHelloForAnotherName() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door);
                SSLSocket client = connect(rig, "other.example.com")) {
            assertThatThrownBy(client::startHandshake).isInstanceOf(IOException.class);
            assertThat(door.heads).isEmpty();
            assertThat(rig.recorded).anyMatch(event -> event.toString().contains("names-disagree"));
        }
    }

    /// The JDK checks the name, so this also shows that no certificate for it was made.
    @Test
    void aClientThatExpectsAnotherHostDoesNotTrustTheCertificate() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door)) {
            Command.Result result =
                    curl(
                            rig,
                            "--connect-to",
                            "other.example.com:443:127.0.0.1:" + rig.port(),
                            "https://other.example.com/");
            assertThat(result.exit()).isNotZero();
            assertThat(door.heads).isEmpty();
        }
    }

    @Test
    void withoutAnAuthorityNothingIsServed() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig =
                        new InspectorRig(
                                new InspectorRig.Setup(
                                        door, Limits.standard(), false, InspectorRig.HOST));
                SSLSocket client = connect(rig, InspectorRig.HOST)) {
            assertThatThrownBy(client::startHandshake).isInstanceOf(IOException.class);
            assertThat(door.heads).isEmpty();
        }
    }

    @Test
    void aHostThatIsNotInspectedGetsNoCertificate() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig =
                        new InspectorRig(
                                new InspectorRig.Setup(
                                        door, Limits.standard(), true, InspectorRig.TUNNELLED));
                SSLSocket client = connect(rig, InspectorRig.TUNNELLED)) {
            assertThatThrownBy(client::startHandshake).isInstanceOf(IOException.class);
            assertThat(door.heads).isEmpty();
        }
    }

    @Test
    void aClientThatDoesNotTrustTheAuthorityIsToldApartInTheRecord() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door);
                Socket plain = new Socket(InetAddress.getLoopbackAddress(), rig.port());
                SSLSocket client =
                        (SSLSocket)
                                SSLContext.getDefault()
                                        .getSocketFactory()
                                        .createSocket(plain, InspectorRig.HOST, 443, true)) {
            assertThatThrownBy(client::startHandshake).isInstanceOf(SSLException.class);
            Await.until(() -> !rig.recorded.isEmpty());
            assertThat(rig.recorded).anyMatch(event -> event.toString().contains("bad-hello"));
            assertThat(door.heads).isEmpty();
        }
    }

    @Test
    void whatIsNoTlsIsClosedWithoutAnAnswer() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door);
                Socket client = new Socket(InetAddress.getLoopbackAddress(), rig.port())) {
            client.setSoTimeout(60_000);
            client.getOutputStream().write(GET.getBytes(StandardCharsets.US_ASCII));
            InputStream in = client.getInputStream();
            assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP");
            assertThat(door.heads).isEmpty();
        }
    }

    @Test
    void aHandshakeThatStopsIsEnded() throws Exception {
        Limits limits = Limits.standard();
        Limits hasty =
                new Limits(
                        limits.http(),
                        limits.sharing(),
                        limits.git(),
                        limits.push(),
                        limits.mirror(),
                        limits.dns(),
                        new Limits.Upstream(10, 1, 120, 120, 32_768, 128, 16, 512, 60, 300),
                        limits.egress(),
                        Limits.Api.STANDARD,
                        Limits.Approvals.STANDARD);
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig =
                        new InspectorRig(
                                new InspectorRig.Setup(door, hasty, true, InspectorRig.HOST));
                Socket client = new Socket(InetAddress.getLoopbackAddress(), rig.port())) {
            client.setSoTimeout(60_000);
            client.getOutputStream().write(new byte[] {22, 3, 1, 2, 0});
            assertThat(client.getInputStream().readAllBytes()).hasSizeLessThan(64);
        }
    }

    /// E17: every connection shows its name in a hello that is looked at.
    @Test
    void e17_offersNoResumption() throws Exception {
        EchoDoor door = new EchoDoor();
        try (InspectorRig rig = new InspectorRig(door)) {
            String tls13 = openssl(rig, "-tls1_3", "-ign_eof");
            assertThat(tls13)
                    .contains("TLSv1.3", "200 OK")
                    .doesNotContain("New Session Ticket", "unexpected eof");
            String tls12 = openssl(rig, "-tls1_2", "-reconnect");
            assertThat(tls12)
                    .contains("New, TLSv1.2")
                    .doesNotContain("Reused,", "TLS session ticket:");
        }
    }

    private String openssl(InspectorRig rig, String... arguments) {
        List<String> argv =
                new ArrayList<>(
                        List.of(
                                "openssl",
                                "s_client",
                                "-connect",
                                "127.0.0.1:" + rig.port(),
                                "-servername",
                                InspectorRig.HOST));
        argv.addAll(List.of(arguments));
        return Command.of(argv).input(GET).run().all();
    }
}
