package dev.sallyport.audit;

import dev.sallyport.fixture.AuditLogs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/// A process that appends until it is killed, and says after each line that it is in the log.
final class AppendingChild {
    private static final int LINES_MAX = 1_000_000;

    private AppendingChild() {}

    public static void main(String[] args) throws IOException {
        AuditEvent event = new AuditEvent("git.request", "", "allow", Map.of("x", "y".repeat(300)));
        try (AuditLog log = AuditLogs.open(Path.of(args[0]))) {
            for (int i = 0; i < LINES_MAX; i++) {
                System.out.println(log.append(event));
                System.out.flush();
            }
        }
    }
}
