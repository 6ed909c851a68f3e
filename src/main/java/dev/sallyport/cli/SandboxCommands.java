package dev.sallyport.cli;

import dev.sallyport.cli.SandboxName.SandboxNames;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands that name existing sandboxes and do one thing to each.
final class SandboxCommands {
    @Command(
            name = "list",
            aliases = "ls",
            description =
                    "List all sandboxes, with those of other gateways that share the session store.")
    static final class ListAll extends WardenCommand {
        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.SandboxList own = warden.sandboxes();
            Api.SandboxList all = and(own, elsewhere(warden));
            Ink ink = output.surroundings().outInk();
            output.answer(all, SandboxText.list(all.sandboxes(), ink));
            own.sandboxes().forEach(output::warn);
            own.damaged().forEach(output::warn);
        }

        /// A daemon that was started before an upgrade may not know of any. Whatever else is wrong
        /// keeps nobody from seeing what is here.
        private List<Api.SandboxView> elsewhere(ControlClient warden) {
            try {
                return warden.fleet().elsewhere();
            } catch (ControlException e) {
                if (e.status() != ControlException.NOT_FOUND) {
                    output.warn(
                            "sandboxes of other gateways are not listed: " + e.problem().message());
                }
                return List.of();
            }
        }

        /// One that has moved between the two questions is listed once.
        private static Api.SandboxList and(Api.SandboxList own, List<Api.SandboxView> others) {
            Map<String, Api.SandboxView> all = new LinkedHashMap<>();
            own.sandboxes().forEach(view -> all.put(view.session(), view));
            others.stream()
                    .sorted(
                            Comparator.comparing(SandboxText::gateway)
                                    .thenComparing(Api.SandboxView::created))
                    .forEach(view -> all.putIfAbsent(view.session(), view));
            return new Api.SandboxList(List.copyOf(all.values()), own.damaged());
        }
    }

    @Command(
            name = "show",
            description = "Show a sandbox: its state, its grants and its usage.",
            footer = {"", "Example:", "  sallyport show work --json"})
    static final class Show extends WardenCommand {
        @Mixin private SandboxName sandbox;

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            try {
                show(warden.sandbox(sandbox.name()), secrets(warden));
            } catch (ControlException e) {
                if (!e.isElsewhere()) {
                    throw e;
                }
                // Secrets of this gateway are not what its requests carry.
                show(warden.fleet().elsewhere(sandbox.name()), List.of());
            }
        }

        private void show(Api.SandboxView view, List<SecretsApi.SecretView> secrets) {
            output.answer(view, SandboxText.show(view) + SandboxText.secrets(secrets));
            output.warn(view);
        }

        /// Those that it may use. That they cannot be read is said by whoever needs one.
        private List<SecretsApi.SecretView> secrets(ControlClient warden) {
            try {
                return warden.secrets().secrets().stream()
                        .filter(secret -> secret.sandboxes().contains(sandbox.name()))
                        .toList();
            } catch (ControlException _) {
                return List.of();
            }
        }
    }

    @Command(name = "start", description = "Start a stopped sandbox.")
    static final class Start extends WardenCommand {
        @Mixin private SandboxName sandbox;

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.SandboxView view;
            try (Waiting _ = output.waiting("starting " + sandbox.name())) {
                view = warden.start(sandbox.name());
            }
            output.answer(view, view.name() + " " + view.state() + "\n");
        }
    }

    @Command(
            name = "stop",
            description = "Stop all processes of a sandbox. You can start it again.")
    static final class Stop extends WardenCommand {
        @Mixin private final TriggerOptions triggers = new TriggerOptions();
        @Mixin private SandboxName sandbox;

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.SandboxView view;
            try (Waiting _ = output.waiting("stopping " + sandbox.name())) {
                view = warden.stop(sandbox.name());
            }
            triggers.known(output, view).ifPresent(TriggerWatch::end);
            output.answer(view, view.name() + " " + view.state() + "\n");
        }
    }

    @Command(
            name = "allow",
            description = "Add hosts to an existing sandbox.",
            footer = {
                "",
                "Examples:",
                "  sallyport allow work api.example.com",
                "  sallyport allow work '*.example.com' example.com:8443",
                "  sallyport allow work --tcp db.example.com:5432",
                "  sallyport allow work --ask api.example.com    # each connection asks you"
            })
    static final class Allow extends SucceedingCommand {
        @Mixin private SandboxName sandbox;

        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "HOST[:PORT]",
                description = "Hosts to allow, on ports 80 and 443 unless you add :PORT.")
        private List<String> hosts = new ArrayList<>();

        @Option(
                names = "--tcp",
                paramLabel = "HOST:PORT",
                description =
                        "Allow any protocol to one port of one host, such as a database. Repeatable.")
        private List<String> tcp = new ArrayList<>();

        @Option(
                names = "--ask",
                description =
                        "Each connection to these hosts waits until you say yes; see sallyport approvals.")
        private boolean ask;

        @Override
        void act() throws IOException, ControlException, CliException {
            List<String> all = new ArrayList<>(hosts);
            all.addAll(tcp);
            if (all.isEmpty()) {
                throw ExitCode.USAGE.because(
                        "no-host",
                        "Which host?",
                        "Give at least one, as in: sallyport allow "
                                + sandbox.name()
                                + " example.com");
            }
            try (ControlClient warden = output.wardens().connectOrStart(output)) {
                Api.SandboxView view = warden.allow(sandbox.name(), new Api.Allow(hosts, tcp, ask));
                String when = ask ? " after your yes to each connection\n" : "\n";
                output.answer(view, view.name() + " may reach " + String.join(", ", all) + when);
                output.warn(view);
            }
        }
    }

    @Command(
            name = "destroy",
            aliases = "rm",
            description = "Remove sandboxes and their files. The workspace stays.")
    static final class Destroy extends WardenCommand {
        @Mixin private final TriggerOptions triggers = new TriggerOptions();

        @Parameters(
                arity = "1..*",
                paramLabel = "NAME",
                completionCandidates = SandboxNames.class,
                description = "Names of sandboxes.")
        private List<String> names = new ArrayList<>();

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            try (Waiting waiting = output.waiting("removing")) {
                int number = 0;
                for (String name : names) {
                    number++;
                    waiting.at(
                            names.size() == 1
                                    ? name
                                    : name + ", " + number + " of " + names.size());
                    if (!CloneLife.destroyed(output, warden, triggers, name)) {
                        destroy(warden, name);
                    }
                }
            }
            output.answer(new Api.Done(), "");
        }

        private void destroy(ControlClient warden, String name)
                throws IOException, ControlException {
            Optional<TriggerWatch> watch = watch(warden, name);
            warden.destroy(name);
            if (watch.isPresent()) {
                watch.get().endForGood();
            }
        }

        /// One of which nothing can be told any more can still be removed.
        private Optional<TriggerWatch> watch(ControlClient warden, String name) throws IOException {
            try {
                return triggers.known(output, warden.sandbox(name));
            } catch (ControlException e) {
                return Optional.empty();
            }
        }
    }

    @Command(
            name = "ports",
            description = "List, publish or remove ports of this machine that lead into a sandbox.",
            footer = {
                "",
                "Examples:",
                "  sallyport ports work              # list the ports",
                "  sallyport ports work 3000         # http://127.0.0.1:3000 shows its port 3000",
                "  sallyport ports work 8080:3000    # http://127.0.0.1:8080 shows its port 3000",
                "  sallyport ports work --remove 8080",
                "",
                "A page of a sandbox can use the network of the browser that shows it, and gets",
                "cookies of other servers on 127.0.0.1. docs/ports.md says how to prevent both."
            })
    static final class Ports extends WardenCommand {
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

    @Command(
            name = "extend",
            description = "Extend the lifetime of a sandbox.",
            footer = {
                "",
                "Examples:",
                "  sallyport extend work",
                "  sallyport extend work 2d",
                "",
                "The limit is set under sessions: in policy.yaml. An ended session stays ended."
            })
    static final class Extend extends WardenCommand {
        @Mixin private SandboxName sandbox;

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "DURATION",
                description = "Time from now: 30m, 12h, 2d. Default: 7d, or as long as allowed.")
        private @Nullable String duration;

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.SandboxView view =
                    warden.extend(sandbox.name(), new Api.Extend(Optional.ofNullable(duration)));
            output.answer(view, view.name() + " ends at " + view.life().absoluteEnd() + "\n");
        }
    }

    @Command(
            name = "end",
            description =
                    "End a sandbox for good. It cannot be started again; its files stay until you destroy it.")
    static final class End extends WardenCommand {
        @Mixin private final TriggerOptions triggers = new TriggerOptions();
        @Mixin private SandboxName sandbox;

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.SandboxView view;
            try (Waiting _ = output.waiting("ending " + sandbox.name())) {
                view = warden.end(sandbox.name());
            }
            triggers.known(output, view).ifPresent(TriggerWatch::end);
            output.answer(view, view.name() + " " + view.state() + "\n");
        }
    }
}
