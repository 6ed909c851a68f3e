package dev.sallyport.cli;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Machine;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.Optional;

/// How commands come to a warden: the one that runs, or one that is started for them.
record Wardens(Surroundings surroundings) {

    Home home() throws ConfigException {
        return Home.resolve(surroundings.environment());
    }

    /// Whose tools are configured with hosts that presets take up.
    Machine machine() {
        return Machine.of(surroundings.environment());
    }

    /// Empty when none runs.
    Optional<ControlClient> connect() throws IOException, ControlException {
        try {
            return Optional.of(ControlClient.connect(home()));
        } catch (ControlException e) {
            if (e.isNotRunning()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /// For commands that have nothing to ask a warden that is not there.
    ControlClient connectToRunning() throws IOException, ControlException {
        return ControlClient.connect(home());
    }

    /// Starts one when none runs, and waits until it answers.
    ControlClient connectOrStart(Output output) throws IOException, ControlException, CliException {
        Optional<ControlClient> running = connect();
        if (running.isPresent()) {
            return running.get();
        }
        output.progress("starting the daemons");
        return new WardenStart(home(), surroundings.environment()).start();
    }
}
