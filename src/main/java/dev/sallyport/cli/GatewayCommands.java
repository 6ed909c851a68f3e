package dev.sallyport.cli;

import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.FleetApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// This machine as the gateway for sandboxes on others.
@Command(
        name = "gateway",
        description = "Let sandboxes on other machines use the gateway of this one.",
        footer = {
            "",
            "Examples:",
            "  sallyport gateway --listen :8443       open the port; it stays open until --close",
            "  sallyport gateway code build1          print a code for the machine build1",
            "  sallyport gateway                      show the port and the machines",
            "  sallyport gateway remove build1        end its sessions and refuse it",
            "",
            "On the other machine: sallyport enroll CODE, then sallyport run --gateway gateway.",
            "See docs/remote.md."
        })
final class GatewayCommands implements Callable<Integer> {
    @Mixin private final Output output;
    private final Wardens wardens;

    @ArgGroup private Port port = new Port();

    /// At most one.
    static final class Port {
        @Option(
                names = "--listen",
                paramLabel = "[ADDRESS]:PORT",
                description = "Open this port for other machines, and again at each start.")
        private @Nullable String listen;

        @Option(names = "--close", description = "Close the port.")
        private boolean close;
    }

    GatewayCommands(Output output, Wardens wardens) {
        this.output = output;
        this.wardens = wardens;
    }

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        try (ControlClient warden = wardens.connectOrStart(output)) {
            FleetApi.Fleet fleet;
            if (port.listen != null) {
                fleet = warden.fleet().listen(new FleetApi.Listen(port.listen));
            } else {
                fleet = port.close ? warden.fleet().close() : warden.fleet().view();
            }
            output.answer(fleet, text(fleet));
        }
        return ExitCode.OK.status();
    }

    private String text(FleetApi.Fleet fleet) {
        String where =
                fleet.listen()
                        .map(address -> "Other machines can use this gateway at " + address + ".\n")
                        .orElse(
                                "Other machines cannot use this gateway. To open a port: sallyport gateway --listen :8443\n");
        Table table = new Table("HOST", "ENROLLED", "LAST SEEN", "SANDBOXES");
        for (FleetApi.Host host : fleet.hosts()) {
            table.row(
                    Printable.of(host.name()),
                    host.enrolled(),
                    host.lastSeen(),
                    Integer.toString(host.sandboxes()));
        }
        return where
                + (table.isEmpty()
                        ? "No machine is enrolled. To enroll one: sallyport gateway code NAME\n"
                        : table.render(output.surroundings().outInk()));
    }

    /// An enrolment code.
    @Command(
            name = "code",
            description = {
                "Print a code with which another machine can enroll.",
                "It is good once. Give it only to that machine."
            })
    static final class Code implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        @Parameters(
                paramLabel = "NAME",
                description = "What the other machine is to be called here.")
        private String name = "";

        @Option(
                names = "--address",
                paramLabel = "HOST:PORT",
                description =
                        "Where the other machine finds this one. Default: this machine's name and the open port.")
        private @Nullable String address;

        @Option(
                names = "--valid",
                paramLabel = "DURATION",
                description = "How long the code can be used: 1m to 24h. Default: 10m.")
        private @Nullable String valid;

        Code(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try (ControlClient warden = wardens.connectOrStart(output)) {
                Optional<String> listen = warden.fleet().view().listen();
                if (listen.isEmpty()) {
                    throw new CliException(
                            ExitCode.REFUSED,
                            "not-listening",
                            "Other machines cannot reach this gateway.",
                            "Open a port first: sallyport gateway --listen :8443");
                }
                String where = address == null ? ownAddress(listen.get()) : address;
                FleetApi.Code code =
                        warden.fleet()
                                .code(
                                        new FleetApi.NewCode(
                                                name, where, Optional.ofNullable(valid)));
                output.notice(
                        "good once, until "
                                + code.expires()
                                + ", for a machine that reaches this one at "
                                + where
                                + ". There: sallyport enroll CODE");
                output.answer(code, code.code() + "\n");
            }
            return ExitCode.OK.status();
        }

        private static String ownAddress(String listen) throws IOException {
            String port = listen.substring(listen.lastIndexOf(':'));
            String bound = listen.substring(0, listen.length() - port.length());
            return bound.isEmpty()
                    ? Files.readString(Path.of("/proc/sys/kernel/hostname")).strip() + port
                    : listen;
        }
    }

    /// The end of a machine's rights.
    @Command(
            name = "remove",
            aliases = "rm",
            description = "Refuse a machine from now on, and end the sessions of its sandboxes.")
    static final class Remove implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        @Parameters(paramLabel = "NAME", description = "Machine, as listed by gateway.")
        private String name = "";

        Remove(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try (ControlClient warden = wardens.connectOrStart(output)) {
                warden.fleet().removeHost(name);
                output.answer(new Removed(name), "");
            }
            return ExitCode.OK.status();
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
    static final class Authority implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        Authority(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try (ControlClient warden = wardens.connectOrStart(output)) {
                FleetApi.Authority authority = warden.fleet().authority();
                output.answer(authority, String.join("", authority.certificates()));
            }
            return ExitCode.OK.status();
        }
    }

    /// A new certificate authority.
    @Command(
            name = "rotate",
            description = {
                "Replace the certificate authority of this gateway.",
                "Machines learn of the new one with their next request. One that asks for nothing within 24 hours must enroll again."
            })
    static final class Rotate implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        Rotate(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try (ControlClient warden = wardens.connectOrStart(output)) {
                FleetApi.Rotated rotated = warden.fleet().rotate();
                output.answer(
                        rotated, "The old authority is trusted until " + rotated.until() + ".\n");
            }
            return ExitCode.OK.status();
        }
    }
}
