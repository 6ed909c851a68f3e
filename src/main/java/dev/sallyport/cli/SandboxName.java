package dev.sallyport.cli;

import picocli.CommandLine.Parameters;

/// The sandbox that a command is about, named before everything else.
final class SandboxName {
    @Parameters(
            index = "0",
            paramLabel = "NAME",
            completionCandidates = SandboxNames.class,
            description = "Name of the sandbox.")
    private String name = "";

    String name() {
        return name;
    }
}
