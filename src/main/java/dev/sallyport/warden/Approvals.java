package dev.sallyport.warden;

import dev.sallyport.approval.Answer;
import dev.sallyport.approval.OpenQuestion;
import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.approval.Questions;
import dev.sallyport.approval.Withdrawals;
import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.Message;
import dev.sallyport.config.FullDisk;
import dev.sallyport.config.Limits;
import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Questions of the gateway to a person, from the moment they are asked until somebody answers or
/// it is too late. Both are recorded: the question before anybody is asked, the answer before the
/// gateway hears it. What is not answered is answered with no.
final class Approvals {
    private static final int TOLD_MAX = 100;

    /// One gateway process. What it asked ends with it.
    interface Asker {
        void answer(Message message);
    }

    /// Hears of each question. Under our lock, so it must not wait for anything.
    interface Listener {
        void asked(OpenQuestion question, Session session);
    }

    private final GatewayLink link;
    private final Ledger ledger;
    private final Limits.Approvals limits;
    private final Moment.Source clock;
    private final Questions questions = new Questions();
    private final Withdrawals withdrawals;
    private final Map<String, Asker> askers = new HashMap<>();
    private Listener listener = (_, _) -> {};

    Approvals(GatewayLink link, Ledger ledger, Limits.Approvals limits, Moment.Source clock) {
        this.link = link;
        this.ledger = ledger;
        this.limits = limits;
        this.clock = clock;
        this.withdrawals = new Withdrawals(() -> clock.now().uptime());
    }

    synchronized void onAsk(Listener hears) {
        listener = hears;
    }

    /// The gateway may be compromised: it can ask for attached sessions only and not more often
    /// than it may, and what it says is shown, never parsed.
    synchronized void asked(Message.Ask ask, Asker asker) {
        Question question = ask.question();
        String digest = question.digest(ask.session());
        Optional<Session> session = session(ask.session());
        if (session.isEmpty()) {
            asker.answer(new Message.Answered(ask.id(), digest, Outcome.WITHDRAWN, ""));
            return;
        }
        Duration wait = Duration.ofSeconds(limits.waitSecondsMax());
        Moment now = clock.now();
        OpenQuestion open =
                new OpenQuestion(
                        ask.id(),
                        ask.session(),
                        question,
                        digest,
                        now.wall(),
                        wait,
                        now.uptime().plus(wait));
        Outcome problem = take(open, session.get());
        if (problem == Outcome.YES) {
            askers.put(open.id(), asker);
            listener.asked(open, session.get());
        } else {
            asker.answer(new Message.Answered(open.id(), digest, problem, ""));
        }
    }

    /// [Outcome#YES] when it is open from now on.
    private Outcome take(OpenQuestion open, Session session) {
        if (!mayAsk(open.session())
                || !questions.add(open, limits.waitingPerSandboxMax(), limits.waitingTotalMax())) {
            return Outcome.TOO_MANY;
        }
        Map<String, String> detail = detail(open, Optional.of(session));
        detail.put("bytes", Long.toString(open.question().bytes()));
        detail.put("content", open.question().content());
        detail.put("summary", open.question().summary());
        detail.put("wait-seconds", Long.toString(open.patience().toSeconds()));
        try {
            ledger.record(new AuditEvent("approval.ask", open.session(), "", detail));
            return Outcome.YES;
        } catch (OperationException e) {
            questions.remove(open);
            return FullDisk.isCauseOf(e) ? Outcome.DISK_FULL : Outcome.NOT_RECORDED;
        }
    }

    private boolean mayAsk(String session) {
        List<OpenQuestion> all = questions.all();
        long own = all.stream().filter(open -> open.session().equals(session)).count();
        return withdrawals.allow(session, own, all.size());
    }

    private static Map<String, String> detail(OpenQuestion open, Optional<Session> session) {
        Map<String, String> detail = new TreeMap<>();
        session.ifPresent(known -> detail.put("sandbox", known.name()));
        detail.put("approval", open.id());
        detail.put("digest", open.digest());
        detail.put("what", open.question().kind());
        detail.put("target", open.question().target());
        return detail;
    }

    private Optional<Session> session(String id) {
        return link.isAttached(id) ? link.session(new SessionId(id)) : Optional.empty();
    }

    /// Those of sessions that have no doors any more are not there.
    synchronized ApprovalsApi.ApprovalList list() {
        return new ApprovalsApi.ApprovalList(
                questions.all().stream()
                        .filter(open -> !open.isDue(clock.now().uptime()))
                        .flatMap(open -> session(open.session()).map(s -> view(open, s)).stream())
                        .limit(TOLD_MAX)
                        .toList());
    }

    synchronized ApprovalsApi.Approval show(String id) throws OperationException {
        OpenQuestion open = find(id);
        return new ApprovalsApi.Approval(view(open, sessionOf(open)), open.question());
    }

    private static ApprovalsApi.ApprovalView view(OpenQuestion open, Session session) {
        Question question = open.question();
        return new ApprovalsApi.ApprovalView(
                open.id(),
                session.name(),
                open.session(),
                question.kind(),
                question.target(),
                question.summary(),
                question.reasons(),
                open.digest(),
                open.asked().toString(),
                open.expires().toString());
    }

    /// Whether somebody still waits for the answer.
    synchronized boolean isOpen(String id) {
        return waiting(id).isPresent();
    }

    private Optional<OpenQuestion> waiting(String id) {
        return questions
                .find(id, clock.now().uptime())
                .filter(open -> session(open.session()).isPresent());
    }

    private OpenQuestion find(String id) throws OperationException {
        return waiting(id).orElseThrow(() -> unknown(id));
    }

    private Session sessionOf(OpenQuestion open) throws OperationException {
        return session(open.session()).orElseThrow(() -> unknown(open.id()));
    }

    private static OperationException unknown(String id) {
        return OperationException.notFound(
                "There is no open question with the id "
                        + id
                        + ". It was answered, has expired or was withdrawn.",
                "See: sallyport approvals");
    }

    synchronized ApprovalsApi.ApprovalAnswered answer(
            String id, ApprovalsApi.AnswerApproval request) throws OperationException {
        Answer answer = parse(request);
        OpenQuestion open = find(id);
        Session session = sessionOf(open);
        if (!Questions.isTo(open, answer)) {
            throw OperationException.conflict(
                    "This answer is to another question than the one that waits.",
                    "Look at it and answer again: sallyport approvals show " + id);
        }
        Map<String, String> detail = detail(open, Optional.of(session));
        detail.put("answer", request.answer());
        detail.put("who", answer.who());
        detail.put("how", answer.how());
        if (!answer.note().isEmpty()) {
            detail.put("note", answer.note());
        }
        ledger.record(
                new AuditEvent(
                        "approval.answer",
                        open.session(),
                        answer.yes() ? "allow" : "deny",
                        detail));
        tell(open, answer.outcome(), answer.note());
        return new ApprovalsApi.ApprovalAnswered(id, session.name(), request.answer());
    }

    private static Answer parse(ApprovalsApi.AnswerApproval request) throws OperationException {
        boolean yes = request.answer().equals("yes");
        if (!yes && !request.answer().equals("no")) {
            throw OperationException.invalid("An answer is yes or no.", "Send one of them.");
        }
        try {
            return new Answer(yes, request.digest(), request.who(), request.how(), request.note());
        } catch (IllegalArgumentException e) {
            throw OperationException.invalid(
                    "Not an answer: " + e.getMessage() + ".", "See docs/protocol/control-api.md.");
        }
    }

    private void tell(OpenQuestion open, Outcome outcome, String note) {
        if (questions.remove(open)) {
            Asker asker = askers.remove(open.id());
            if (asker != null) {
                asker.answer(new Message.Answered(open.id(), open.digest(), outcome, note));
            }
        }
    }

    /// Nobody waits any more.
    synchronized void withdrawn(String session, String id) {
        questions
                .find(id, clock.now().uptime())
                .filter(open -> open.session().equals(session))
                .ifPresent(this::takeBack);
    }

    /// Answers with no what nobody answered in time.
    synchronized void expire() {
        for (OpenQuestion open : questions.due(clock.now().uptime())) {
            giveUp(open, Outcome.EXPIRED);
        }
    }

    /// A gateway has ended, and with it whoever waited there.
    synchronized void over(Asker asker) {
        List<OpenQuestion> all = questions.all();
        for (OpenQuestion open : all) {
            if (asker.equals(askers.get(open.id()))) {
                takeBack(open);
            }
        }
    }

    private void takeBack(OpenQuestion open) {
        withdrawals.count(open.session());
        giveUp(open, Outcome.WITHDRAWN);
    }

    private void giveUp(OpenQuestion open, Outcome outcome) {
        Map<String, String> detail = detail(open, session(open.session()));
        detail.put("answer", "none");
        detail.put("how", outcome == Outcome.EXPIRED ? "expired" : "withdrawn");
        ledger.note(new AuditEvent("approval.answer", open.session(), "deny", detail));
        tell(open, outcome, "");
    }
}
