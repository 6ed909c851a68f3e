package dev.sallyport.cli;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.time.Instant;
import java.util.function.Consumer;

/// One's own record: read from its files, or asked for where root keeps them.
record Recorded(Wardens wardens, Output output) {
    private static final int LINES_MAX = 10_000;

    void read(AuditReader.Filter filter, Consumer<AuditLine> sink)
            throws IOException, ControlException, CliException {
        if (wardens.service().isEmpty()) {
            AuditReader.read(wardens.home().auditLog(), filter, sink);
            return;
        }
        int last = filter.last().orElse(LINES_MAX);
        Api.AuditRequest request =
                new Api.AuditRequest(filter.session(), filter.decision(), filter.id(), last);
        try (ControlClient warden = wardens.connectOrStart(output)) {
            Api.AuditLines answer = warden.audit(request);
            if (answer.more() && (filter.last().isEmpty() || answer.lines().size() < last)) {
                output.warn(
                        "Older lines are left out; narrow the search with --session, --denied or --id.");
            }
            answer.lines().forEach(line -> sink.accept(line(line)));
        }
    }

    private static AuditLine line(Api.AuditView view) {
        return new AuditLine(
                view.seq(),
                Instant.parse(view.time()),
                new AuditEvent(view.kind(), view.session(), view.decision(), view.detail()),
                view.prev(),
                view.hash());
    }
}
