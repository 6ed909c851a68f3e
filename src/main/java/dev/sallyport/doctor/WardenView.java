package dev.sallyport.doctor;

import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What a running warden says, asked once. None is started.
///
/// @param status empty when none runs, or it gave no answer
/// @param sessions ids of all sessions; empty when nobody can say
/// @param trouble why there is no answer, when a warden seems to be there
record WardenView(
        Optional<Api.Status> status,
        Optional<Set<String>> sessions,
        Optional<ControlException> trouble) {

    static WardenView ask(Home home) {
        try (ControlClient client = ControlClient.connect(home)) {
            Set<String> sessions =
                    client.sandboxes().sandboxes().stream()
                            .map(Api.SandboxView::session)
                            .collect(Collectors.toSet());
            return new WardenView(
                    Optional.of(client.status()), Optional.of(sessions), Optional.empty());
        } catch (ControlException e) {
            Optional<ControlException> trouble =
                    e.isNotRunning() ? Optional.empty() : Optional.of(e);
            return new WardenView(Optional.empty(), Optional.empty(), trouble);
        }
    }
}
