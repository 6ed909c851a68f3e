package dev.sallyport.control;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/// Asks the warden, over one connection that is verified before the first byte is sent. Sandboxes
/// made as ephemeral, and leases, end when this is closed.
///
/// Plain JDK sockets, because the command line must start fast. One thread at a time.
public final class ControlClient implements AutoCloseable {
    private static final String SANDBOXES = "/v1/sandboxes";
    private static final String SECRETS = "/v1/secrets";
    private static final String PAGE = "/v1/page";
    private static final String APPROVALS = "/v1/approvals";

    /// One for all, because it remembers what it has learnt about each type. Made by who needs it
    /// first.
    private static final class Json {
        static final ObjectMapper MAPPER = ApiJson.answers();
    }

    private final HttpExchange exchange;

    private ControlClient(SocketChannel channel) {
        this.exchange = new HttpExchange(channel);
    }

    /// Learns, in another thread, how to ask for a sandbox and how to read the answers. In a JVM
    /// that was started just now this takes as long as to understand the command line.
    public static void getReady() {
        Thread.ofPlatform().daemon().name("get-ready").start(ControlClient::learn);
    }

    private static void learn() {
        try (JsonParser _ = Json.MAPPER.createParser("{}")) {
            Json.MAPPER.writerFor(Api.CreateSandbox.class);
            Json.MAPPER.readerFor(Api.SandboxView.class);
            Json.MAPPER.writerFor(Api.ExecCommand.class);
            Json.MAPPER.readerFor(Api.ExecAnswer.class);
            Json.MAPPER.readerFor(Api.Done.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Connects to the warden of this home.
    ///
    /// @throws ControlException with code `not-running` when there is none
    public static ControlClient connect(Home home) throws ControlException {
        try {
            ControlSocket.verify(home);
            return new ControlClient(open(home));
        } catch (ConfigException e) {
            throw isAbsent(home)
                    ? notRunning()
                    : ControlException.local("unsafe-path", e.problem(), e.remedy());
        } catch (NoSuchFileException | ConnectException e) {
            throw notRunning();
        } catch (FileSystemException e) {
            throw unreadable(home, e);
        } catch (IOException e) {
            throw broken(e);
        }
    }

    private static ControlException unreadable(Home home, FileSystemException e) {
        String reason = e.getReason() == null ? "permission denied" : e.getReason();
        return ControlException.local(
                "unsafe-path",
                "Sallyport's directory " + home.root() + " cannot be read: " + reason + ".",
                "Run this as the account that it belongs to, or set SALLYPORT_HOME to another directory.");
    }

    private static boolean isAbsent(Home home) {
        return home.lodging().isPresent()
                ? !Files.exists(home.lodging().get(), LinkOption.NOFOLLOW_LINKS)
                : !Files.exists(home.root(), LinkOption.NOFOLLOW_LINKS)
                        || !Files.exists(home.run(), LinkOption.NOFOLLOW_LINKS);
    }

    private static SocketChannel open(Home home) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(home.controlSocket()));
            requireOwnPeer(channel, home.lodging().orElse(home.run()));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /// The kernel names the user who listens; a file's owner alone would not prove it. That the
    /// directory belongs to us, or to root who serves us, was verified before.
    private static void requireOwnPeer(SocketChannel channel, Path ownDirectory)
            throws IOException {
        UserPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        if (!peer.equals(Files.getOwner(ownDirectory, LinkOption.NOFOLLOW_LINKS))) {
            throw new ConfigException(
                    "The process behind the control socket runs as another user (" + peer + ").",
                    "Find out who started it, and start the daemon as yourself: sallyport up");
        }
    }

    private static ControlException notRunning() {
        return ControlException.local(
                ControlException.NOT_RUNNING,
                "The daemon is not running.",
                "Start it: sallyport up");
    }

    private static ControlException broken(IOException e) {
        return ControlException.local(
                ControlException.CONNECTION_LOST,
                "The connection to the daemon broke (" + e.getMessage() + ").",
                "Check whether it still runs: sallyport status; its log is run/warden.log.");
    }

    /// What it takes to stop a daemon of any version: no more of [Api.Status] than this.
    public record Running(long wardenPid, int sandboxes) {}

    public Running running() throws ControlException {
        return ask("GET", "/v1/status", null, Running.class);
    }

    public Api.Status status() throws ControlException {
        return ask("GET", "/v1/status", null, Api.Status.class);
    }

    public MetricsText metricsOtlp() throws ControlException {
        return ask("GET", "/v1/metrics/otlp", null, MetricsText.class);
    }

    public MetricsText metrics() throws ControlException {
        return ask("GET", "/v1/metrics", null, MetricsText.class);
    }

    public WorkInHand work() throws ControlException {
        return ask("GET", "/v1/progress", null, WorkInHand.class);
    }

    public Api.Ending shutdown(Api.Shutdown body) throws ControlException {
        return ask("POST", "/v1/shutdown", body, Api.Ending.class);
    }

    public Api.SandboxList sandboxes() throws ControlException {
        return ask("GET", SANDBOXES, null, Api.SandboxList.class);
    }

    public Api.SandboxView create(Api.CreateSandbox body) throws ControlException {
        return ask("POST", SANDBOXES, body, Api.SandboxView.class);
    }

    public Api.SandboxView sandbox(String name) throws ControlException {
        return ask("GET", path(SANDBOXES, name), null, Api.SandboxView.class);
    }

    public Api.SandboxView start(String name) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/start", null, Api.SandboxView.class);
    }

    public Api.SandboxView stop(String name) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/stop", null, Api.SandboxView.class);
    }

    public Api.SandboxView extend(String name, Api.Extend body) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/extend", body, Api.SandboxView.class);
    }

    public Api.SandboxView end(String name) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/end", null, Api.SandboxView.class);
    }

    public Api.PolicyApplied applyPolicy(Api.ApplyPolicy body) throws ControlException {
        return ask("POST", "/v1/policy/apply", body, Api.PolicyApplied.class);
    }

    public Api.SandboxView ports(String name, Api.ChangePorts body) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/ports", body, Api.SandboxView.class);
    }

    public Api.SandboxView allow(String name, Api.Allow body) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/allow", body, Api.SandboxView.class);
    }

    public Api.Shared share(String name, Api.Share body) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/share", body, Api.Shared.class);
    }

    public void destroy(String name) throws ControlException {
        ask("DELETE", path(SANDBOXES, name), null, Api.Done.class);
    }

    public Api.ExecAnswer exec(String name, Api.ExecCommand body) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/exec", body, Api.ExecAnswer.class);
    }

    /// Ties an ephemeral sandbox to this connection, after the warden that knew the old one died.
    public Api.SandboxView lease(String name) throws ControlException {
        return ask("POST", path(SANDBOXES, name) + "/lease", null, Api.SandboxView.class);
    }

    public SecretsApi.Exposure exposure(String name) throws ControlException {
        return ask("GET", path(SANDBOXES, name) + "/exposure", null, SecretsApi.Exposure.class);
    }

    public SecretsApi.SecretList secrets() throws ControlException {
        return ask("GET", SECRETS, null, SecretsApi.SecretList.class);
    }

    public SecretsApi.SecretView putSecret(String name, SecretsApi.PutSecret body)
            throws ControlException {
        return ask("PUT", path(SECRETS, name), body, SecretsApi.SecretView.class);
    }

    public SecretsApi.SecretRotated rotateSecret(String name, SecretsApi.RotateSecret body)
            throws ControlException {
        return ask("POST", path(SECRETS, name) + "/rotate", body, SecretsApi.SecretRotated.class);
    }

    public SecretsApi.Encrypted encryptSecrets() throws ControlException {
        return ask("POST", SECRETS + "/encrypt", null, SecretsApi.Encrypted.class);
    }

    public void removeSecret(String name) throws ControlException {
        ask("DELETE", path(SECRETS, name), null, Api.Done.class);
    }

    public Api.HomeList homes() throws ControlException {
        return ask("GET", "/v1/homes", null, Api.HomeList.class);
    }

    public Api.HomesRemoved removeHomes(Api.RemoveHomes body) throws ControlException {
        return ask("POST", "/v1/homes/remove", body, Api.HomesRemoved.class);
    }

    public ApprovalsApi.ApprovalList approvals() throws ControlException {
        return ask("GET", APPROVALS, null, ApprovalsApi.ApprovalList.class);
    }

    public ApprovalsApi.Approval approval(String id) throws ControlException {
        return ask("GET", path(APPROVALS, id), null, ApprovalsApi.Approval.class);
    }

    public ApprovalsApi.ApprovalAnswered answer(String id, ApprovalsApi.AnswerApproval body)
            throws ControlException {
        return ask("POST", path(APPROVALS, id), body, ApprovalsApi.ApprovalAnswered.class);
    }

    public Api.AuditLines audit(Api.AuditRequest body) throws ControlException {
        return ask("GET", "/v1/audit", body, Api.AuditLines.class);
    }

    public Api.PageLink openPage(Api.OpenPage body) throws ControlException {
        return ask("POST", PAGE, body, Api.PageLink.class);
    }

    public void closePage() throws ControlException {
        ask("DELETE", PAGE, null, Api.Done.class);
    }

    public void trust(Api.Trust body) throws ControlException {
        ask("POST", "/v1/trusted", body, Api.Done.class);
    }

    /// Everything about other machines.
    public FleetClient fleet() {
        return new FleetClient(this);
    }

    @Override
    public void close() {
        exchange.close();
    }

    /// Names are checked by the warden; here only what would change the request's shape is.
    static String path(String collection, String name) throws ControlException {
        if (name.isEmpty()
                || !name.chars().allMatch(c -> c > ' ' && c < 127 && "/?#%".indexOf(c) < 0)) {
            throw ControlException.local(
                    "invalid-name",
                    "Not a valid name.",
                    "Use lower-case letters, digits, hyphens.");
        }
        return collection + "/" + name;
    }

    <T> T ask(String method, String path, @Nullable Object body, Class<T> type)
            throws ControlException {
        try {
            byte[] bytes = body == null ? new byte[0] : Json.MAPPER.writeValueAsBytes(body);
            HttpExchange.Answer answer = exchange.ask(method, path, bytes);
            if (answer.status() / 100 != 2) {
                throw new ControlException(
                        answer.status(), Json.MAPPER.readValue(answer.body(), Api.Problem.class));
            }
            return Json.MAPPER.readValue(answer.body(), type);
        } catch (JsonProcessingException e) {
            throw ControlException.local(
                    "other-version",
                    "The answer of the daemon is not understood.",
                    "It may have another version. Restart it: sallyport down, sallyport up");
        } catch (IOException e) {
            throw broken(e);
        }
    }
}
