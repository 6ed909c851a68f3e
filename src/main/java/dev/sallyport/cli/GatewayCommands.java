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

/// This machine as the gateway for sandboxes on others.
@Command(
        name = "gateway",
        subcommands = {
            GatewayCommands.Code.class,
            GatewayCommands.Remove.class,
            GatewayCommands.Authority.class,
            GatewayCommands.Rotate.class
        },
        description = "Let sandboxes on other machines use the gateway of this one.",
        footer = {
            "",
            "Examples:",
            "  sallyport gateway --listen :8443      # open the port, until --close",
            "  sallyport gateway code build1         # print a code for the machine build1",
            "  sallyport gateway                     # show port, machines and open codes",
            "  sallyport gateway code --remove ID    # take back a code that nobody has used",
            "  sallyport gateway remove build1       # end its sessions and refuse it",
            "",
            "On the other machine, enroll and run with it:",
            "  sallyport enroll CODE",
            "  sallyport run --gateway gateway",
            "",
            "Upgrade gateways that share a store one after the other: --close, install,",
            "--listen. See docs/remote.md."
        })
final class GatewayCommands extends SucceedingCommand {
    @ArgGroup private Port port = new Port();

    /// At most one.
    static final class Port {
        @Option(
                names = "--listen",
                paramLabel = "[ADDRESS]:PORT",
                description = "Open this port for other machines, and again at each start.")
        private @Nullable String listen;

        @Option(
                names = "--close",
                description =
                        "Close the port. Other gateways with the same store take its sessions at once.")
        private boolean close;
    }

    @Option(
            names = "--address",
            paramLabel = "HOST:PORT",
            description =
                    "With --listen: where other machines find this one. Default: its name and the port.")
    private @Nullable String address;

    @Override
    void act() throws IOException, ControlException, CliException {
        if (address != null && port.listen == null) {
            throw ExitCode.USAGE.because(
                    "address-without-listen",
                    "--address says where the port of --listen is found.",
                    "Give both: sallyport gateway --listen :8443 --address " + address);
        }
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            FleetApi.Fleet fleet;
            if (port.listen != null) {
                fleet =
                        warden.fleet()
                                .listen(
                                        new FleetApi.Listen(
                                                port.listen, Optional.ofNullable(address)));
            } else {
                fleet = port.close ? warden.fleet().close() : warden.fleet().view();
            }
            output.answer(fleet, text(fleet));
        }
    }

    private String text(FleetApi.Fleet fleet) {
        String where =
                fleet.listen()
                        .map(address -> "Other machines can use this gateway at " + address + ".\n")
                        .orElseGet(() -> closed(fleet.wanted()));
        if (fleet.gateways().size() > 1) {
            where += "Gateways with the same store: " + String.join(", ", fleet.gateways()) + "\n";
        }
        Table table = new Table("HOST", "ENROLLED", "LAST SEEN", "SANDBOXES");
        for (FleetApi.Host host : fleet.hosts()) {
            table.row(
                    host.name(),
                    host.enrolled(),
                    host.lastSeen(),
                    Integer.toString(host.sandboxes()));
        }
        return where
                + table.render(
                        output.surroundings().outInk(),
                        "No machine is enrolled. To enroll one: sallyport gateway code NAME\n")
                + codes(fleet);
    }

    private static String closed(Optional<String> wanted) {
        return "Other machines cannot use this gateway"
                + wanted.map(address -> ": " + address + " could not be opened").orElse("")
                + ". To open a port: sallyport gateway --listen :8443\n";
    }

    private String codes(FleetApi.Fleet fleet) {
        Table table = new Table("OPEN CODE", "FOR", "UNTIL");
        for (FleetApi.OpenCode code : fleet.codes()) {
            table.row(code.id(), code.host(), code.expires());
        }
        return table.isEmpty() ? "" : "\n" + table.render(output.surroundings().outInk());
    }

    /// An enrolment code.
    @Command(
            name = "code",
            description = {
                "Print a code with which another machine can enroll, or revoke one.",
                "It works once. Give it only to that machine."
            })
    static final class Code extends SucceedingCommand {
        @ArgGroup(multiplicity = "1")
        private What what = new What();

        /// One of them.
        static final class What {
            @Parameters(
                    paramLabel = "NAME",
                    description = "What the other machine is to be called here.")
            private @Nullable String name;

            @Option(
                    names = "--remove",
                    paramLabel = "ID",
                    description =
                            "Revoke an unused code, instead of printing a new one (listed by: sallyport gateway).")
            private @Nullable String remove;
        }

        @Option(
                names = "--address",
                paramLabel = "HOST:PORT",
                description =
                        "Where the other machine finds this one. Default: what --listen said with --address, or this machine's name and the port.")
        private @Nullable String address;

        @Option(
                names = "--valid",
                paramLabel = "DURATION",
                description = "How long the code can be used: 1m to 24h. Default: 10m.")
        private @Nullable String valid;

        @Override
        void act() throws IOException, ControlException, CliException {
            if (what.remove != null && (address != null || valid != null)) {
                throw ExitCode.USAGE.because(
                        "bad-code",
                        "--remove prints no code, so --address and --valid mean nothing.",
                        "Leave them out.");
            }
            try (ControlClient warden = output.wardens().connectOrStart(output)) {
                if (what.remove != null) {
                    warden.fleet().removeCode(what.remove);
                    output.answer(new Removed(what.remove), "");
                } else if (what.name != null) {
                    print(warden, what.name);
                }
            }
        }

        private void print(ControlClient warden, String name)
                throws IOException, ControlException, CliException {
            Optional<String> reachedAt = warden.fleet().view().reachedAt();
            if (reachedAt.isEmpty()) {
                throw ExitCode.REFUSED.because(
                        "not-listening",
                        "Other machines cannot reach this gateway.",
                        "Open a port first: sallyport gateway --listen :8443");
            }
            String where = address == null ? reachedAt.get() : address;
            FleetApi.Code code =
                    warden.fleet()
                            .code(new FleetApi.NewCode(name, where, Optional.ofNullable(valid)));
            output.notice(
                    "good once, until %s, for a machine that reaches this one at %s. There: sallyport enroll CODE"
                            .formatted(code.expires(), where));
            output.answer(code, code.code() + "\n");
        }
    }

    /// The end of a machine's rights.
    @Command(
            name = "remove",
            aliases = "rm",
            description = "Refuse a machine from now on, and end the sessions of its sandboxes.")
    static final class Remove extends WardenCommand {
        @Parameters(paramLabel = "NAME", description = "Machine, as listed by gateway.")
        private String name = "";

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            warden.fleet().removeHost(name);
            output.answer(new Removed(name), "");
        }
    }

    /// The stable document of `--json`.
    record Removed(String removed) {}

    /// What pods have to pin.
    @Command(
            name = "authority",
            description = {
                "Print the certificate of this gateway's authority (PEM).",
                "Pods of a cluster know the gateway by it. It is no secret."
            })
    static final class Authority extends WardenCommand {
        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            FleetApi.Authority authority = warden.fleet().authority();
            output.answer(authority, String.join("", authority.certificates()));
        }
    }

    /// A new certificate authority.
    @Command(
            name = "rotate",
            description = {
                "Replace the certificate authority of this gateway.",
                "Machines learn of the new one with their next request. One that asks for nothing within 24 hours must enroll again."
            })
    static final class Rotate extends WardenCommand {
        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            FleetApi.Rotated rotated = warden.fleet().rotate();
            output.answer(rotated, "The old authority is trusted until " + rotated.until() + ".\n");
        }
    }

    /// Gateways on other machines, for the sandboxes of this one.
    @Command(
            name = "enroll",
            description = {
                "Use the gateway of another machine for sandboxes on this one.",
                "Credentials, rules and the audit log are there; this machine has none of them."
            },
            footer = {
                "",
                "Examples:",
                "  sallyport enroll sp1-...         # the code that the other machine printed",
                "  sallyport enroll - < code.txt    # the same, from standard input",
                "  sallyport run --gateway gateway --repo acme/app -- bash",
                "  sallyport enroll --list",
                "  sallyport enroll --remove gateway",
                "",
                "On the other machine, open the port and print a code:",
                "  sallyport gateway --listen :8443",
                "  sallyport gateway code NAME",
                "",
                "See docs/remote.md."
            })
    static final class Enroll extends WardenCommand {
        private static final int CODE_BYTES_MAX = 16_384;

        @ArgGroup(multiplicity = "1")
        private Wanted what = new Wanted();

        /// One of them.
        static final class Wanted {
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

        private void enroll(ControlClient warden, String given)
                throws IOException, ControlException {
            String code = given.equals("-") ? fromInput() : given;
            FleetApi.Gateway gateway;
            try (Waiting _ = output.waiting("enrolling")) {
                gateway = warden.fleet().enrol(new FleetApi.Enrol(code, Optional.ofNullable(name)));
            }
            output.answer(
                    gateway,
                    "Enrolled at %s as %s.\nUse it: sallyport run --gateway %s --repo OWNER/NAME -- bash\n"
                            .formatted(
                                    Printable.of(gateway.address()),
                                    Printable.of(gateway.host()),
                                    gateway.name()));
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
                        gateway.address(),
                        gateway.host(),
                        Integer.toString(gateway.sandboxes()));
            }
            return table.render(
                    output.surroundings().outInk(), "No gateway on another machine is known.\n");
        }
    }
}
