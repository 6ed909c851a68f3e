package dev.sallyport.cli;

import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;

/// A command whose work is to ask the warden, which is started if none runs.
abstract class WardenCommand extends SucceedingCommand {
    abstract void ask(ControlClient warden) throws IOException, ControlException, CliException;

    @Override
    void act() throws IOException, ControlException, CliException {
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            ask(warden);
        }
    }
}
