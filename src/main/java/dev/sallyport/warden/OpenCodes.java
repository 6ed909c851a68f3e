package dev.sallyport.warden;

import dev.sallyport.control.FleetApi;
import dev.sallyport.fleet.Hosts;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The enrolment codes that a person can still take back.
final class OpenCodes {
    static List<FleetApi.OpenCode> list(FleetFiles.Source files) throws IOException {
        return files.exists()
                ? files.get().hosts().invitations().stream()
                        .map(
                                code ->
                                        new FleetApi.OpenCode(
                                                code.id(),
                                                code.hostName(),
                                                code.expires().toString()))
                        .toList()
                : List.of();
    }

    /// Nobody can enroll with it any more. Who has done so before stays enrolled.
    static void withdraw(FleetFiles.Source files, Ledger ledger, String id)
            throws OperationException {
        try {
            Optional<FleetApi.OpenCode> code =
                    list(files).stream().filter(open -> open.id().equals(id)).findFirst();
            if (code.isEmpty()) {
                throw notOpen(id);
            }
            ledger.record("fleet.withdraw", Map.of("code", id, "host", code.get().host()));
            Hosts hosts = files.get().hosts();
            if (!hosts.withdraw(id)) {
                throw notOpen(id);
            }
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    private static OperationException notOpen(String id) {
        return OperationException.notFound(
                "No code " + id + " is open: it was used, has expired, or was taken back.",
                "List open codes and enrolled machines with: sallyport gateway");
    }
}
