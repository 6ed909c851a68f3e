package dev.sallyport.cli;

import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/// A command that has succeeded when nothing was thrown.
abstract class SucceedingCommand implements Callable<Integer> {
    @Mixin Output output;

    abstract void act() throws IOException, ControlException, CliException, InterruptedException;

    @Override
    public Integer call() throws IOException, ControlException, CliException, InterruptedException {
        act();
        return ExitCode.OK.status();
    }
}
