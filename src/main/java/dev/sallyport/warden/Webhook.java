package dev.sallyport.warden;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.approval.OpenQuestion;
import dev.sallyport.approval.ShownText;
import dev.sallyport.audit.Redaction;
import dev.sallyport.config.Reports;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.control.ApiJson;
import dev.sallyport.post.Post;
import dev.sallyport.session.Session;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/// Posts each question to a URL of the person's, signed, so that they hear of it elsewhere. It
/// tells and never asks: whatever the receiver says or does, nothing is answered, allowed or held
/// up.
final class Webhook implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Webhook.class.getName());
    private static final ObjectMapper JSON = ApiJson.requests();

    /// A receiver that is slow holds up this many; the others wait in line, or are left out.
    private static final int POSTS_AT_ONCE_MAX = 4;

    private static final int WAITING_MAX = 256;

    /// `t=SECONDS,v1=HMAC`, over the seconds, a full stop and the body.
    static final String SIGNATURE = "sallyport-signature";

    private final Reports.Webhook hook;
    private final SecretFiles secrets;
    private final Post post;
    private final Ledger ledger;
    private final InstantSource clock;
    private final Predicate<String> isOpen;
    private final ExecutorService posts =
            new ThreadPoolExecutor(
                    POSTS_AT_ONCE_MAX,
                    POSTS_AT_ONCE_MAX,
                    1,
                    TimeUnit.MINUTES,
                    new ArrayBlockingQueue<>(WAITING_MAX),
                    Thread.ofVirtual().name("webhook").factory());

    private final Reception reception = new Reception("the webhook for approvals");

    /// @param isOpen whether the question with an id still waits
    Webhook(
            Reports.Webhook hook,
            SecretFiles secrets,
            Post post,
            Ledger ledger,
            InstantSource clock,
            Predicate<String> isOpen) {
        this.hook = hook;
        this.secrets = secrets;
        this.post = post;
        this.ledger = ledger;
        this.clock = clock;
        this.isOpen = isOpen;
    }

    /// What is posted, in this order. All of it is in the list of questions, too; nothing else that
    /// a sandbox has written leaves this way.
    private static Map<String, String> document(
            OpenQuestion open, Session session, Optional<String> link) {
        Map<String, String> document = new LinkedHashMap<>();
        document.put("id", open.id());
        document.put("sandbox", session.name());
        document.put("kind", open.question().kind());
        document.put("target", line(open.question().target()));
        document.put("what", line(open.question().summary()));
        document.put("asked", open.asked().toString());
        document.put("expires", open.expires().toString());
        document.put("command", "sallyport approve " + open.id());
        link.ifPresent(url -> document.put("link", url));
        return document;
    }

    /// The gateway should have made it one clean line; one that was taken over may not have.
    private static String line(String text) {
        return Redaction.redact(ShownText.line(text));
    }

    /// Posts each question from now on.
    ///
    /// @param links where a question can be looked at, if anywhere
    Approvals.Listener listener(Function<OpenQuestion, Optional<String>> links) {
        return (open, session) -> {
            Map<String, String> document = document(open, session, links.apply(open));
            try {
                posts.execute(() -> tell(open.id(), document));
            } catch (RejectedExecutionException _) {
                failed("too-many-waiting");
            }
        };
    }

    private void tell(String id, Map<String, String> document) {
        if (!isOpen.test(id)) {
            return;
        }
        try {
            byte[] body = JSON.writeValueAsString(document).getBytes(StandardCharsets.UTF_8);
            String seconds = Long.toString(clock.instant().getEpochSecond());
            String signature = "t=" + seconds + ",v1=" + sign(seconds, body);
            post.send("application/json", Map.of(SIGNATURE, signature), body);
            taken();
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a question was not posted", e);
            failed(e instanceof IOException ? String.valueOf(e.getMessage()) : "failed");
        }
    }

    private Optional<StoredSecret> key() throws IOException {
        try {
            return secrets.find(hook.secret(), hook.url().host());
        } catch (IOException e) {
            throw new IOException("secret-unreadable", e);
        }
    }

    /// Read each time, so that one that was rotated is used at once.
    private String sign(String seconds, byte[] body) throws IOException {
        StoredSecret key = key().orElseThrow(() -> new IOException("no-secret"));
        try {
            if (!key.value().canSign()) {
                throw new IOException("secret-too-short");
            }
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            text.writeBytes((seconds + ".").getBytes(StandardCharsets.US_ASCII));
            text.writeBytes(body);
            return key.value().hmac(text.toByteArray());
        } finally {
            key.wipe();
        }
    }

    private void taken() {
        if (reception.taken()) {
            ledger.note("approval.webhook-back", Map.of());
        }
    }

    /// Recorded once, until something was taken again.
    private void failed(String why) {
        if (reception.failed(why)) {
            ledger.note("approval.webhook-failed", Map.of("reason", why));
        }
    }

    /// For people; empty when all is well.
    Optional<String> trouble() {
        return reception
                .trouble()
                .map(
                        why ->
                                "The webhook for approvals at %s failed (%s): %s"
                                        .formatted(hook.url().host(), why, remedy(why)));
    }

    private String remedy(String trouble) {
        return switch (trouble) {
            case "no-secret" ->
                    "there is no secret %s for that host. Run: sallyport secret set %s --host %s < FILE"
                            .formatted(hook.secret(), hook.secret(), hook.url().host());
            case "secret-unreadable" -> "its secret cannot be read. See: sallyport secret list";
            case "secret-too-short" ->
                    "its secret has fewer than 16 bytes. Run: sallyport secret rotate %s < FILE"
                            .formatted(hook.secret());
            default -> "check the receiver, and approvals: webhook: in policy.yaml.";
        };
    }

    @Override
    public void close() {
        posts.shutdownNow();
    }
}
