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
            "  sallyport gateway                      show the port, the machines and the open codes",
            "  sallyport gateway code --remove ID     take back a code that nobody has used",
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
                        .orElseGet(() -> closed(fleet.wanted()));
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
                        : table.render(output.surroundings().outInk()))
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
            table.row(code.id(), Printable.of(code.host()), code.expires());
        }
        return table.isEmpty() ? "" : "\n" + table.render(output.surroundings().outInk());
    }

    /// An enrolment code.
    @Command(
            name = "code",
            description = {
                "Print a code with which another machine can enroll, or take one back.",
                "It is good once. Give it only to that machine."
            })
    static final class Code implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

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
                            "Take back a code that nobody has used; gateway lists them. Print none.")
            private @Nullable String remove;
        }

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
            if (what.remove != null && (address != null || valid != null)) {
                throw new CliException(
                        ExitCode.USAGE,
                        "bad-code",
                        "--remove prints no code, so --address and --valid mean nothing.",
                        "Leave them out.");
            }
            try (ControlClient warden = wardens.connectOrStart(output)) {
                if (what.remove != null) {
                    warden.fleet().removeCode(what.remove);
                    output.answer(new Removed(what.remove), "");
                } else if (what.name != null) {
                    print(warden, what.name);
                }
            }
            return ExitCode.OK.status();
        }

        private void print(ControlClient warden, String name)
                throws IOException, ControlException, CliException {
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
                            .code(new FleetApi.NewCode(name, where, Optional.ofNullable(valid)));
            output.notice(
                    "good once, until "
                            + code.expires()
                            + ", for a machine that reaches this one at "
                            + where
                            + ". There: sallyport enroll CODE");
            output.answer(code, code.code() + "\n");
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
