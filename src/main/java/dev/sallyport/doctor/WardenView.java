package dev.sallyport.doctor;

import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a running warden says, asked once. None is started.
///
/// @param status empty when none runs, or it gave no answer
/// @param sessions ids of all sessions; empty when nobody can say
/// @param damaged sandboxes whose record cannot be read
/// @param secrets without their values
/// @param trouble why there is no answer, when a warden seems to be there
record WardenView(
        Optional<Api.Status> status,
        Optional<Set<String>> sessions,
        List<Api.DamagedView> damaged,
        List<SecretsApi.SecretView> secrets,
        Optional<ControlException> trouble) {

    static WardenView ask(Home home) {
        try (ControlClient client = ControlClient.connect(home)) {
            Api.SandboxList list = client.sandboxes();
            Set<String> sessions =
                    Stream.concat(
                                    list.sandboxes().stream().map(Api.SandboxView::session),
                                    list.damaged().stream().map(Api.DamagedView::session))
                            .collect(Collectors.toSet());
            return new WardenView(
                    Optional.of(client.status()),
                    Optional.of(sessions),
                    list.damaged(),
                    secrets(client),
                    Optional.empty());
        } catch (ControlException e) {
            Optional<ControlException> trouble =
                    e.isNotRunning() ? Optional.empty() : Optional.of(e);
            return new WardenView(
                    Optional.empty(), Optional.empty(), List.of(), List.of(), trouble);
        }
    }

    /// That they cannot be read is for whoever needs one to say.
    private static List<SecretsApi.SecretView> secrets(ControlClient client) {
        try {
            return client.secrets().secrets();
        } catch (ControlException _) {
            return List.of();
        }
    }
}
