package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "ports",
        description = "List, publish or remove ports of this machine that lead into a sandbox.",
        footer = {
            "",
            "Examples:",
            "  sallyport ports work                  lists them",
            "  sallyport ports work 3000             http://127.0.0.1:3000 shows port 3000 of the sandbox",
            "  sallyport ports work 8080:3000        http://127.0.0.1:8080 does",
            "  sallyport ports work --remove 8080",
            "",
            "A page of a sandbox can use the network of the browser that shows it, and gets",
            "cookies of other servers on 127.0.0.1. docs/ports.md says how to prevent both."
        })
final class PortsCommand extends WardenCommand {
    @Mixin private SandboxName sandbox;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "[[ADDRESS:]PORT:]PORT",
            description = "Ports to publish, the sandbox's last.")
    private List<String> publish = new ArrayList<>();

    @Option(
            names = "--remove",
            paramLabel = "PORT",
            description = "Stop publishing this port of the host. Repeatable.")
    private List<String> remove = new ArrayList<>();

    /// The stable document of `--json`.
    record Published(String name, List<String> published) {}

    @Override
    void ask(ControlClient warden) throws IOException, ControlException, CliException {
        Api.SandboxView view =
                publish.isEmpty() && remove.isEmpty()
                        ? warden.sandbox(sandbox.name())
                        : warden.ports(sandbox.name(), new Api.ChangePorts(publish, remove));
        publish.forEach(port -> PortText.warn(output, port));
        output.answer(
                new Published(view.name(), view.published()), PortText.list(view.published()));
        output.warn(view);
    }
}
