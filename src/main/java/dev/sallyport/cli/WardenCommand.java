package dev.sallyport.cli;

import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/// A command whose work is to ask the warden, which is started if none runs.
abstract class WardenCommand implements Callable<Integer> {
    @Mixin Output output;

    abstract void ask(ControlClient warden) throws IOException, ControlException, CliException;

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            ask(warden);
        }
        return ExitCode.OK.status();
    }
}
