package dev.sallyport.cli;

import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.FleetApi;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Gateways on other machines, for the sandboxes of this one.
@Command(
        name = "enroll",
        description = {
            "Use the gateway of another machine for sandboxes on this one.",
            "Credentials, rules and the record are there; this machine has none of them."
        },
        footer = {
            "",
            "Examples:",
            "  sallyport enroll sp1-...               with the code that the other machine printed",
            "  sallyport enroll - < code.txt          the same, from standard input",
            "  sallyport run --gateway gateway --repo acme/app -- bash",
            "  sallyport enroll --list",
            "  sallyport enroll --remove gateway",
            "",
            "On the other machine: sallyport gateway --listen :8443, then sallyport gateway code NAME.",
            "See docs/remote.md."
        })
final class EnrollCommand extends WardenCommand {
    private static final int CODE_BYTES_MAX = 16_384;

    @ArgGroup(multiplicity = "1")
    private What what = new What();

    /// One of them.
    static final class What {
        @Parameters(
                paramLabel = "CODE",
                description =
                        "Code that the gateway's machine printed; - reads it from standard input.")
        private @Nullable String code;

        @Option(names = "--list", description = "List the gateways.")
        private boolean list;

        @Option(
                names = "--remove",
                paramLabel = "NAME",
                description = "Forget a gateway that no sandbox uses.")
        private @Nullable String remove;
    }

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What to call the gateway here. Default: gateway.")
    private @Nullable String name;

    @Override
    void ask(ControlClient warden) throws IOException, ControlException, CliException {
        if (what.code != null) {
            enroll(warden, what.code);
        } else if (what.list) {
            FleetApi.Gateways all = warden.fleet().gateways();
            output.answer(all, text(all));
        } else if (what.remove != null) {
            warden.fleet().removeGateway(what.remove);
            output.answer(new GatewayCommands.Removed(what.remove), "");
        }
    }

    private void enroll(ControlClient warden, String given) throws IOException, ControlException {
        String code = given.equals("-") ? fromInput() : given;
        FleetApi.Gateway gateway;
        try (Waiting _ = output.waiting("enrolling")) {
            gateway = warden.fleet().enrol(new FleetApi.Enrol(code, Optional.ofNullable(name)));
        }
        output.answer(
                gateway,
                "Enrolled at "
                        + Printable.of(gateway.address())
                        + " as "
                        + Printable.of(gateway.host())
                        + ".\nUse it: sallyport run --gateway "
                        + gateway.name()
                        + " --repo OWNER/NAME -- bash\n");
    }

    private String fromInput() throws IOException {
        byte[] bytes = output.surroundings().in().readNBytes(CODE_BYTES_MAX);
        return new String(bytes, StandardCharsets.US_ASCII).strip();
    }

    private String text(FleetApi.Gateways all) {
        Table table = new Table("GATEWAY", "ADDRESS", "THIS MACHINE IS", "SANDBOXES");
        for (FleetApi.Gateway gateway : all.gateways()) {
            table.row(
                    gateway.name(),
                    Printable.of(gateway.address()),
                    Printable.of(gateway.host()),
                    Integer.toString(gateway.sandboxes()));
        }
        return table.isEmpty()
                ? "No gateway on another machine is known.\n"
                : table.render(output.surroundings().outInk());
    }
}
