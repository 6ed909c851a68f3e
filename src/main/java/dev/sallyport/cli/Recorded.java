package dev.sallyport.cli;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.audit.Stamp;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// One's own record: read from its files, or asked for where root keeps them.
record Recorded(Output output) {
    private static final int LINES_MAX = 10_000;

    void read(AuditFilter filter, Consumer<AuditLine> sink)
            throws IOException, ControlException, CliException {
        Wardens wardens = output.wardens();
        if (wardens.service().isEmpty()) {
            AuditReader.read(wardens.home().auditLog(), filter, sink);
            return;
        }
        int last = filter.last().orElse(LINES_MAX);
        Api.AuditRequest request =
                new Api.AuditRequest(
                        filter.session(),
                        filter.sandbox(),
                        filter.decision(),
                        filter.id(),
                        filter.target(),
                        filter.since().map(Instant::toString),
                        filter.until().map(Instant::toString),
                        last);
        try (ControlClient warden = wardens.connectOrStart(output)) {
            Api.AuditLines answer = warden.audit(request);
            if (answer.more() && (filter.last().isEmpty() || answer.lines().size() < last)) {
                output.warn(
                        "Older lines are left out; narrow the search, for example with --since or --sandbox.");
            }
            answer.lines().forEach(line -> sink.accept(line(line)));
        }
    }

    /// The name of the sandbox whose session this is, if the record still tells.
    Optional<String> sandboxOf(String session) throws IOException, ControlException, CliException {
        List<String> names = new ArrayList<>();
        read(
                AuditFilter.ofSession(session),
                line -> {
                    if (!line.sandbox().isEmpty() && names.isEmpty()) {
                        names.add(line.sandbox());
                    }
                });
        return names.stream().findFirst();
    }

    private static AuditLine line(Api.AuditView view) {
        return new AuditLine(
                view.seq(),
                Instant.parse(view.time()),
                new AuditEvent(view.kind(), view.session(), view.decision(), view.detail()),
                new Stamp(view.sandbox(), view.runtime(), view.policy()),
                view.prev(),
                view.hash());
    }
}
