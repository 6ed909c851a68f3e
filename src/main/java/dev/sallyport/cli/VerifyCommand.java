package dev.sallyport.cli;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GrantText;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.SidecarProcess;
import dev.sallyport.proof.Proof;
import dev.sallyport.proof.Row;
import dev.sallyport.proof.Searched;
import dev.sallyport.proof.Subject;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.session.OutwardPorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// Proves the isolation of one sandbox by trying.
@Command(
        name = "verify",
        description = {
            "Test the isolation of a running sandbox, from inside and outside.",
            "Exit status 0 if no probe failed. Rows that are not probed prove nothing."
        },
        footer = {"", "Example:", "  sallyport verify work"})
final class VerifyCommand implements Callable<Integer> {
    @Mixin private Output output;
    @Mixin private SandboxName sandbox;

    /// The stable document of `--json`.
    record ProofTable(String sandbox, String session, boolean holds, List<Row> rows) {}

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            Api.SandboxView view = warden.sandbox(sandbox.name());
            List<Row> rows = rows(warden, view);
            boolean holds = rows.stream().noneMatch(r -> r.outcome() == Row.Outcome.FAIL);
            output.answer(
                    new ProofTable(view.name(), view.session(), holds, rows),
                    text(rows, output.surroundings().outInk()));
            return (holds ? ExitCode.OK : ExitCode.FAILED).status();
        }
    }

    private List<Row> rows(ControlClient warden, Api.SandboxView view)
            throws IOException, ControlException, CliException {
        try (Waiting waiting = output.waiting("testing " + view.name())) {
            Api.IdentityView identity = identity(view);
            waiting.at("looking for secrets in it");
            SecretsApi.Exposure exposure = warden.exposure(sandbox.name());
            return Proof.of(
                    subject(view, identity, exposure.sidecar()),
                    searched(exposure),
                    command -> {
                        waiting.at("trying from inside");
                        String said = Captured.run(plan(warden, command));
                        waiting.at("looking from outside");
                        return said;
                    });
        }
    }

    private static Searched searched(SecretsApi.Exposure exposure) {
        return new Searched(
                exposure.compared(), exposure.skipped(), exposure.places(), exposure.found());
    }

    private Api.ExecAnswer plan(ControlClient warden, List<String> command) throws IOException {
        try {
            return warden.exec(
                    sandbox.name(),
                    new Api.ExecCommand(command, false, Optional.empty(), Map.of()));
        } catch (ControlException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Api.IdentityView identity(Api.SandboxView view) throws CliException {
        return view.identity()
                .orElseThrow(
                        () ->
                                ExitCode.CONFLICT.because(
                                        "not-running",
                                        "The sandbox is not running.",
                                        "Start it: sallyport start " + view.name()));
    }

    /// @param sidecar as the warden says, which has started it: what a process says of itself can
    ///   be changed by it
    private Subject subject(Api.SandboxView view, Api.IdentityView identity, Optional<Long> sidecar)
            throws IOException {
        List<String> gitHosts =
                view.repos().stream().map(VerifyCommand::hostOf).distinct().toList();
        return new Subject(
                view.session(),
                new Identity(
                        identity.runtimeId(),
                        identity.pid(),
                        identity.startTicks(),
                        identity.netNamespaceInode()),
                Path.of(view.workspace()),
                view.git().rewrite() ? Set.copyOf(gitHosts) : Set.of(),
                names(view, gitHosts),
                ports(view),
                view.learn(),
                sidecar.map(pid -> new SidecarProcess(pid, view.session())),
                output.wardens().home().root());
    }

    private static String hostOf(GrantText grant) {
        return grant.repo().substring(0, grant.repo().indexOf('/'));
    }

    private static List<String> names(Api.SandboxView view, List<String> gitHosts) {
        return Stream.concat(gitHosts.stream(), view.egress().stream().map(EgressText::host))
                .filter(host -> !host.contains("*"))
                .toList();
    }

    private static List<OutwardPorts.Place> ports(Api.SandboxView view) throws IOException {
        try {
            return OutwardPorts.of(
                    new Policy(
                            new SessionId(view.session()),
                            Parsing.all(view.repos(), GrantText::toGrant),
                            new Egress(Parsing.all(view.egress(), EgressText::toRule), false)));
        } catch (MalformedNameException e) {
            throw new IOException("the daemon named a host that is none", e);
        }
    }

    private static String text(List<Row> rows, Ink ink) {
        Table table = new Table("", "PROBE", "EXPECTED", "SEEN");
        rows.forEach(row -> table.row(mark(row), row.probe(), row.expected(), row.seen()));
        long failed = rows.stream().filter(r -> r.outcome() == Row.Outcome.FAIL).count();
        long open = rows.stream().filter(r -> r.outcome() == Row.Outcome.NOT_PROBED).count();
        String end =
                failed == 0
                        ? ink.green("Nothing failed") + " in " + rows.size() + " probes"
                        : ink.red(failed + " of " + rows.size() + " probes FAILED");
        return table.render(ink)
                + "\n"
                + end
                + (open == 0 ? "" : "; " + open + " not probed")
                + ".\n";
    }

    private static String mark(Row row) {
        return switch (row.outcome()) {
            case PASS -> "pass";
            case FAIL -> "FAIL";
            case NOT_PROBED -> "-";
        };
    }
}
