package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditTail;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What happens now: the record as it grows, and the sandboxes that there are.
final class Feed {
    private static final int LINES_MAX = 1_000;

    private final Recorded record;
    private final Output output;
    private final Optional<AuditTail> tail;
    private final Map<String, String> names = new HashMap<>();
    private Instant since = Instant.now();
    private long seen;

    Feed(Output output) throws IOException {
        this.output = output;
        record = new Recorded(output);
        tail =
                output.wardens().service().isEmpty()
                        ? Optional.of(new AuditTail(output.wardens().home().auditLog()))
                        : Optional.empty();
    }

    /// The newest lines so far.
    List<AuditLine> before(int lines) throws IOException, ControlException, CliException {
        List<AuditLine> found = new ArrayList<>();
        record.read(AuditFilter.ALL.last(lines), found::add);
        found.forEach(this::learn);
        return found;
    }

    /// The lines since it was asked last, oldest first.
    List<AuditLine> next() throws IOException, ControlException, CliException {
        List<AuditLine> lines = tail.isPresent() ? tail.get().next() : asked();
        lines.forEach(this::learn);
        return lines;
    }

    /// Where only root reads the files.
    private List<AuditLine> asked() throws IOException, ControlException, CliException {
        List<AuditLine> lines = new ArrayList<>();
        record.read(AuditFilter.ALL.since(since).last(LINES_MAX), lines::add);
        lines.removeIf(line -> line.seq() <= seen);
        return lines;
    }

    private void learn(AuditLine line) {
        seen = Math.max(seen, line.seq());
        since = line.time().isAfter(since) ? line.time() : since;
        if (!line.sandbox().isEmpty()) {
            names.put(line.event().session(), line.sandbox());
        }
    }

    /// The daemon is not started for it: without one there are none.
    List<Api.SandboxView> sandboxes() throws IOException, ControlException, CliException {
        List<Api.SandboxView> views =
                output.wardens()
                        .askRunning(warden -> warden.sandboxes().sandboxes())
                        .orElse(List.of());
        views.forEach(view -> names.put(view.session(), view.name()));
        return views;
    }

    /// The daemon is not started for it: without one nobody waits.
    List<ApprovalsApi.ApprovalView> approvals() throws IOException, ControlException {
        return output.wardens()
                .askRunning(warden -> warden.approvals().approvals())
                .orElse(List.of());
    }

    ApprovalsApi.Approval approval(String id) throws IOException, ControlException {
        try (ControlClient warden = output.wardens().connectToRunning()) {
            return warden.approval(id);
        }
    }

    /// To the question as this view shows it.
    void answer(ApprovalsApi.ApprovalView view, String answer)
            throws IOException, ControlException {
        try (ControlClient warden = output.wardens().connectToRunning()) {
            warden.answer(
                    view.id(),
                    new ApprovalsApi.AnswerApproval(
                            answer, view.digest(), Surroundings.account(), "watch", ""));
        }
    }

    Path policyFile() throws IOException {
        return output.wardens().home().policyFile();
    }

    /// @param ask whether each connection waits for an answer
    void allow(String sandbox, String host, boolean ask)
            throws IOException, ControlException, CliException {
        try (ControlClient warden = output.wardens().connectOrStart(output.quiet())) {
            warden.allow(sandbox, new Api.Allow(List.of(host), List.of(), ask));
        }
    }

    /// The name of the sandbox that a line is about; its session where that is not known.
    String nameOf(AuditLine line) {
        String session = line.event().session();
        return session.isEmpty() ? "-" : names.getOrDefault(session, session);
    }
}
