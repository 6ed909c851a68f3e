package dev.sallyport.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;

/// The one thing that a gatehouse ever says: that one's own warden is ready, or why not.
public record Admission(boolean ready, String message, String remedy) {
    public static final Admission READY = new Admission(true, "", "");
    private static final ObjectMapper JSON = ApiJson.answers();
    private static final int BYTES_MAX = 8_192;
    private static final Duration ANSWER_MAX = Duration.ofSeconds(90);

    public static Admission refused(String message, String remedy) {
        return new Admission(false, message, remedy);
    }

    public String json() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer that cannot be written", e);
        }
    }

    /// Knocks, and returns when the warden of this account is ready. That root is behind the socket
    /// is verified before a word of it is believed.
    ///
    /// @param service the directory of all accounts
    public static void require(Path service) throws ControlException {
        Admission answer;
        try {
            Ownership.requireRootsDirectory(service);
            Ownership.requireSafeAncestors(service.resolve("any"));
            answer = ask(service);
        } catch (ConfigException e) {
            throw ControlException.local("unsafe-path", e.problem(), e.remedy());
        } catch (NoSuchFileException | ConnectException e) {
            throw ControlException.local(
                    ControlException.NOT_RUNNING,
                    "The Sallyport service of this machine is not running.",
                    "Ask the administrator to start the systemd unit sallyport.");
        } catch (IOException e) {
            throw ControlException.local(
                    "no-admission",
                    "The Sallyport service of this machine cannot be reached ("
                            + e.getMessage()
                            + ").",
                    "Ask the administrator whether your account may use it.");
        }
        if (!answer.ready()) {
            throw ControlException.local("no-admission", answer.message(), answer.remedy());
        }
    }

    private static Admission ask(Path service) throws IOException {
        Path socket = service.resolve("gatehouse.sock");
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(socket.toString());
        }
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            var peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            if (!peer.equals(Files.getOwner(service, LinkOption.NOFOLLOW_LINKS))) {
                throw new AccessDeniedException("root is not behind " + socket);
            }
            Thread limit = Thread.ofVirtual().start(() -> closeLate(channel));
            byte[] said = Channels.newInputStream(channel).readNBytes(BYTES_MAX);
            limit.interrupt();
            return said.length == 0
                    ? refused(
                            "The Sallyport service of this machine is busy.",
                            "Try again in a moment.")
                    : JSON.readValue(said, Admission.class);
        }
    }

    /// Such a channel has no read timeout.
    private static void closeLate(SocketChannel channel) {
        try {
            Thread.sleep(ANSWER_MAX);
            channel.close();
        } catch (InterruptedException | IOException e) {
            Thread.currentThread().interrupt();
        }
    }
}
