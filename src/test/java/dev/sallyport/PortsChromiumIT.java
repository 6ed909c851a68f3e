package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.DevServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A page of a sandbox in a real browser on the host: that it works, and what it can reach from
/// there.
class PortsChromiumIT {
    private static Path root;
    private static Installation sallyport;
    private static PortsRig rig;
    private static int port;

    private final List<Process> browsers = new ArrayList<>();

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-chromium");
        sallyport = Installation.bare(root.resolve("i"));
        rig = new PortsRig(sallyport, "bubblewrap");
        port = DevServer.freePort();
        rig.create("dev", "--publish", port + ":3000");
        rig.exec("dev", DevServer.node(sallyport.workspace(), 3000, "127.0.0.1")).ok();
        DevServer.awaitListening(sallyport.workspace(), 3000);
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @AfterEach
    void closeBrowsers() throws InterruptedException {
        for (Process browser : browsers) {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly().waitFor();
        }
    }

    private void browse(String address, String... options) throws IOException {
        List<String> argv =
                new ArrayList<>(
                        List.of(
                                "chromium",
                                "--headless=new",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--no-first-run",
                                "--user-data-dir=" + Files.createTempDirectory(root, "profile")));
        argv.addAll(List.of(options));
        argv.add("http://" + address + ":" + port + "/");
        browsers.add(
                new ProcessBuilder(argv)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start());
    }

    private static void awaitSeen(String what) {
        Path seen = sallyport.workspace().resolve("seen");
        Await.until(
                "a page says " + what,
                () ->
                        Files.exists(seen)
                                && Files.readAllLines(seen).stream()
                                        .anyMatch(
                                                line ->
                                                        line.startsWith("/seen?" + what + " ")
                                                                && line.contains("Chrome")));
    }

    @Test
    void aPageIsShownAndReloadsItselfOnBothLoopbackAddresses() throws IOException {
        for (String address : List.of(PortsRig.FOUR, PortsRig.SIX)) {
            String first = "first" + address.length();
            String second = "second" + address.length();
            DevServer.change(sallyport.workspace(), first);
            browse(address);
            awaitSeen("version=" + first);
            DevServer.change(sallyport.workspace(), second);
            awaitSeen("version=" + second);
        }
    }

    /// The page asks a server of the host's that has nothing to do with it: reached from a browser
    /// as it is, and not from one that is started as `docs/ports.md` says.
    @Test
    void I16_aPageInABrowserOfItsOwnReachesNoOtherServerOfTheHost() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (ServerSocket other = new ServerSocket(0, 16, InetAddress.ofLiteral("127.0.0.1"))) {
            Thread.ofVirtual().start(() -> count(other, asked));
            attack(other.getLocalPort(), "plain");
            browse(PortsRig.FOUR);
            awaitSeen("tried=plain");
            assertThat(asked.get()).isPositive();
            closeBrowsers();
            int before = asked.get();
            attack(other.getLocalPort(), "closed");
            browse(
                    PortsRig.FOUR,
                    "--proxy-server=127.0.0.1:9",
                    "--proxy-bypass-list=<-loopback>;127.0.0.1:%d;[::1]:%d".formatted(port, port));
            awaitSeen("tried=closed");
            assertThat(asked.get()).isEqualTo(before);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            Files.deleteIfExists(sallyport.workspace().resolve("script.js"));
        }
    }

    private static void attack(int other, String name) throws IOException {
        Files.writeString(
                sallyport.workspace().resolve("script.js"),
                """
                Promise.allSettled(['127.0.0.1', 'localhost', '[::1]'].map(
                    host => fetch('http://' + host + ':%d/steal', {mode: 'no-cors', method: 'POST', body: 'x'})))
                    .then(() => fetch('/seen?tried=%s'));
                """
                        .formatted(other, name));
    }

    private static void count(ServerSocket server, AtomicInteger asked) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                asked.incrementAndGet();
                client.getOutputStream()
                        .write(
                                "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
                                        .getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // The next one, or the end.
            }
        }
    }
}
