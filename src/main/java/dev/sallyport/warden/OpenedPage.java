package dev.sallyport.warden;

import dev.sallyport.approval.OpenQuestion;
import dev.sallyport.audit.AuditMarks;
import dev.sallyport.control.Api;
import dev.sallyport.page.Desk;
import dev.sallyport.page.Page;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// The page in the browser, while a person wants it. It offers a few rows of the control API's
/// table, so that there is one way to do a thing; the rest of the table is not there.
final class OpenedPage implements Desk {
    private static final int PORT_MAX = 65_535;

    private static final Set<String> OFFERED =
            Set.of(
                    "GET /v1/sandboxes",
                    "POST /v1/sandboxes/{name}/allow",
                    "GET /v1/approvals",
                    "GET /v1/approvals/{name}",
                    "POST /v1/approvals/{name}");

    private final Patron patron;
    private final Ledger ledger;
    private final AuditMarks marks;
    private final EventLoop loop;
    private final Predicate<String> open;
    private List<Operation> table = List.of();

    /// Changed under the lock, and read without by [#link(OpenQuestion)].
    private volatile Optional<Page> page = Optional.empty();

    /// @param open whether the question with an id still waits
    OpenedPage(
            Patron patron,
            Ledger ledger,
            AuditMarks marks,
            EventLoop loop,
            Predicate<String> open) {
        this.patron = patron;
        this.ledger = ledger;
        this.marks = marks;
        this.loop = loop;
        this.open = open;
    }

    /// Before anybody is answered.
    void offer(List<Operation> all) {
        table =
                all.stream()
                        .filter(row -> OFFERED.contains(row.method() + " " + row.path()))
                        .toList();
    }

    synchronized Api.PageLink link(Api.OpenPage asked, Role role) throws OperationException {
        int port = asked.port().orElse(0);
        if (asked.port().isPresent() && (port < 1 || port > PORT_MAX)) {
            throw OperationException.invalid(
                    "A port is a number from 1 to " + PORT_MAX + ".", "Leave it out.");
        }
        if (page.isEmpty()) {
            ledger.record("page.open", Map.of("by", word(role)));
            page = Optional.of(open(port));
        }
        Page opened = page.get();
        if (asked.port().isPresent() && opened.port() != port) {
            throw OperationException.conflict(
                    "The page is open on port " + opened.port() + ".",
                    "Use that one, or close it first: sallyport ui --stop");
        }
        Instant end = Instant.now().plus(Page.linkLife()).truncatedTo(ChronoUnit.SECONDS);
        return new Api.PageLink(opened.link(uid(role)), end.toString());
    }

    /// A link for the owner to one question; empty while the page is closed. Nothing that a sandbox
    /// does opens a port of this machine, so a question does not open the page.
    Optional<String> link(OpenQuestion question) {
        int owner = patron.person().uid();
        return page.map(opened -> opened.link(owner, question.id(), question.patience()));
    }

    private Page open(int port) throws OperationException {
        try {
            return Page.open(loop, port, new Page.Source(patron.home().auditLog(), marks), this);
        } catch (IOException e) {
            throw new OperationException(
                    OperationException.Fault.CONFLICT,
                    "Port %d of %s cannot be opened: %s."
                            .formatted(port, Page.ADDRESS, e.getMessage()),
                    "Leave out --port, or name another one.",
                    e);
        }
    }

    /// Ends all its sessions.
    synchronized Api.Done close() throws OperationException {
        if (page.isPresent()) {
            ledger.record("page.close", Map.of());
            shut();
        }
        return new Api.Done();
    }

    synchronized void shut() {
        page.ifPresent(Page::close);
        page = Optional.empty();
    }

    private int uid(Role role) {
        return switch (role) {
            case OWNER -> patron.person().uid();
            case ROOT -> 0;
        };
    }

    private static String word(Role role) {
        return switch (role) {
            case OWNER -> "owner";
            case ROOT -> "root";
        };
    }

    private Optional<Role> role(int uid) {
        return Role.of(uid, patron.person().uid());
    }

    @Override
    public boolean knows(int uid) {
        return role(uid).isPresent();
    }

    @Override
    public String account(int uid) {
        return uid == patron.person().uid() ? patron.person().name() : "root";
    }

    @Override
    public boolean recordsLogin(int uid) {
        Optional<Role> role = role(uid);
        if (role.isEmpty()) {
            return false;
        }
        try {
            ledger.record("page.login", Map.of("by", word(role.get())));
            return true;
        } catch (OperationException e) {
            return false;
        }
    }

    @Override
    public boolean isOpen(String question) {
        return open.test(question);
    }

    @Override
    public Answer answer(HttpMethod method, String path, byte[] body, int uid) {
        Optional<Role> role = role(uid);
        if (role.isEmpty()) {
            return new Answer(403, "{}");
        }
        // No lease hangs on a page.
        Dispatcher.Answer answer =
                new Dispatcher(table, role.get()).answer(method, path, body, () -> false);
        return new Answer(answer.status(), answer.body());
    }
}
