package dev.sallyport.page;

import dev.sallyport.config.TrustedFiles;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// Who may use the page. A link is asked for over the control socket, by an account that the kernel
/// names, and makes one session of that account; only the account's own connections can use either.
/// A link that goes out with a question is good while the question is open. Only digests are kept:
/// what is compared is not the secret.
final class PageSessions {
    static final Duration LINK_LIFE = Duration.ofMinutes(1);
    static final Duration SESSION_LIFE = Duration.ofHours(12);
    static final int LINKS_MAX = 16;

    /// More than there can be open questions.
    static final int QUESTION_LINKS_MAX = 1_024;

    static final int SESSIONS_MAX = 16;
    private static final int SECRET_BYTES = 32;

    private final SecureRandom random = new SecureRandom();
    private final LongSupplier nanos;
    private final Map<String, Ticket> links = new LinkedHashMap<>();

    /// Apart, so that no sandbox makes a person's own link give way.
    private final Map<String, Ticket> questionLinks = new LinkedHashMap<>();

    private final Map<String, Ticket> sessions = new LinkedHashMap<>();

    PageSessions(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /// A right that ends.
    ///
    /// @param question id of the one that it came with; empty for none
    /// @param endNanos of a clock that is never set
    record Ticket(int uid, String question, long endNanos) {
        boolean isOver(long now) {
            return endNanos - now <= 0;
        }
    }

    /// The secret of a new link.
    synchronized String link(int uid) {
        return add(links, uid, "", LINK_LIFE, LINKS_MAX);
    }

    /// The secret of a new link that goes out with a question.
    ///
    /// @param life how long the question is open at most
    synchronized String link(int uid, String question, Duration life) {
        return add(questionLinks, uid, question, life, QUESTION_LINKS_MAX);
    }

    /// What [#login] would use up; empty when it would not succeed.
    synchronized Optional<Ticket> find(String link, int uid) {
        forgetOld();
        String digest = digest(link);
        return Optional.ofNullable(links.get(digest))
                .or(() -> Optional.ofNullable(questionLinks.get(digest)))
                .filter(ticket -> ticket.uid() == uid);
    }

    /// The secret of a new session; empty unless the link was this account's, unused and in time.
    synchronized Optional<String> login(String link, int uid) {
        if (find(link, uid).isEmpty()) {
            return Optional.empty();
        }
        links.remove(digest(link));
        questionLinks.remove(digest(link));
        return Optional.of(add(sessions, uid, "", SESSION_LIFE, SESSIONS_MAX));
    }

    synchronized boolean isOpen(String session, int uid) {
        forgetOld();
        Ticket ticket = sessions.get(digest(session));
        return ticket != null && ticket.uid() == uid;
    }

    synchronized void logout(String session) {
        sessions.remove(digest(session));
    }

    /// The oldest gives way, so that a person can always get in.
    private String add(
            Map<String, Ticket> table, int uid, String question, Duration life, int max) {
        forgetOld();
        if (table.size() >= max) {
            table.remove(table.keySet().iterator().next());
        }
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        table.put(digest(secret), new Ticket(uid, question, nanos.getAsLong() + life.toNanos()));
        return secret;
    }

    private void forgetOld() {
        long now = nanos.getAsLong();
        links.values().removeIf(ticket -> ticket.isOver(now));
        questionLinks.values().removeIf(ticket -> ticket.isOver(now));
        sessions.values().removeIf(ticket -> ticket.isOver(now));
    }

    private static String digest(String secret) {
        return TrustedFiles.digest(secret.getBytes(StandardCharsets.UTF_8));
    }
}
