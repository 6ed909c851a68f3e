package dev.sallyport.cli;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GrantText;
import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.SecretsApi;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Sandboxes as a person reads them.
final class SandboxText {
    private static final String UNLIMITED = "UNLIMITED";
    private static final String[] HEADINGS = {
        "NAME", "STATE", "RUNTIME", "REPOSITORIES", "LAST USED", "WORKSPACE"
    };
    private static final int ID_SHOWN = 12;

    static String list(List<Api.SandboxView> sandboxes, Ink ink) {
        if (sandboxes.isEmpty()) {
            return "No sandboxes. Create one with: sallyport new, or sallyport run -- COMMAND\n";
        }
        boolean several = !sandboxes.stream().allMatch(SandboxText::isHere);
        Table table = new Table(row(several, "GATEWAY", HEADINGS));
        for (Api.SandboxView view : sandboxes) {
            table.row(
                    row(
                            several,
                            gateway(view),
                            view.name(),
                            view.state(),
                            view.runtime(),
                            repos(view.repos()),
                            view.lastUsed(),
                            view.workspace()));
        }
        return table.render(ink);
    }

    /// The cell for the gateway is the last but one.
    private static String[] row(boolean several, String gateway, String... cells) {
        List<String> row = new ArrayList<>(List.of(cells));
        if (several) {
            row.add(row.size() - 1, gateway);
        }
        return row.toArray(String[]::new);
    }

    private static boolean isHere(Api.SandboxView view) {
        return view.gateway().filter(one -> !one.here() || !one.holds()).isEmpty();
    }

    /// Which gateway has it.
    static String gateway(Api.SandboxView view) {
        return view.gateway()
                .map(one -> one.holds() ? place(one) : "none, was " + place(one))
                .orElse("here");
    }

    /// The beginning of an id is enough to tell a few gateways apart.
    private static String place(FleetApi.GatewayView gateway) {
        String id = gateway.id();
        String known = "id " + id.substring(0, Math.min(id.length(), ID_SHOWN));
        return gateway.here() ? "here" : gateway.address().orElse(known);
    }

    private static void gateway(Lines lines, Api.SandboxView view) {
        if (!isHere(view)) {
            boolean held = view.gateway().filter(FleetApi.GatewayView::holds).isPresent();
            lines.add("gateway", gateway(view))
                    .add(
                            "",
                            held
                                    ? "run commands for this sandbox there"
                                    : "wait until a gateway takes it, or start that one again");
        }
    }

    static String repos(List<GrantText> repos) {
        return repos.isEmpty()
                ? "-"
                : repos.stream()
                        .map(repo -> repo.repo() + ":" + repo.access())
                        .collect(Collectors.joining(", "));
    }

    static String show(Api.SandboxView view) {
        Lines lines = new Lines();
        lines.add("name", view.name()).add("state", view.state()).add("session", view.session());
        gateway(lines, view);
        lines.add("runtime", view.runtime())
                .add("image", view.image().orElse("-"))
                .add("workspace", view.workspace())
                .add("home", view.home().orElse("removed with the sandbox"));
        for (Api.MountText mount : view.mounts().extra()) {
            lines.add(mount.unsafe() ? "UNSAFE mount" : "mount", mount(mount));
        }
        view.mounts().hidden().forEach(file -> lines.add("hidden", file));
        if (!view.mounts().searched()) {
            lines.add("sockets", "not all mounted files were checked");
        }
        for (GrantText repo : view.repos()) {
            lines.add("repository", RuleText.summary(repo));
            RuleText.rest(repo).forEach(rule -> lines.add("", "  " + rule));
        }
        for (EgressText rule : view.egress()) {
            lines.add("host", RuleText.summary(rule));
        }
        view.published().forEach(port -> lines.add("published", PortText.summary(port)));
        if (view.learn()) {
            lines.add("learning", "NOT ISOLATED: every public host can be reached");
        }
        lines.add("policy", view.policyDigest());
        view.hardening().runtimeClass().ifPresent(name -> lines.add("runtime class", name));
        view.hardening()
                .ownUserNamespace()
                .ifPresent(own -> lines.add("user namespace", own ? "its own" : "the host's"));
        identity(lines, view);
        life(lines, view);
        return lines.add("git rewrite", view.git().rewrite() ? "yes" : "no")
                .add("git hooks", view.git().hooks() ? "yes" : "no")
                .add("local clones", view.git().localClones() ? "yes" : "no")
                .add("ephemeral", view.ephemeral() ? "yes" : "no")
                .add("limits", limits(view.resources()))
                .add("user", HardeningText.user(view.hardening()))
                .text();
    }

    /// What its requests carry, without the values.
    static String secrets(List<SecretsApi.SecretView> secrets) {
        Lines lines = new Lines();
        for (SecretsApi.SecretView secret : secrets) {
            lines.add("secret", secret.name() + " (" + secret.kind() + ") for " + secret.host());
            secret.app().ifPresent(id -> lines.add("", "  tokens of the GitHub App " + id));
            secret.reach().ifPresent(reach -> lines.add("", "  " + reach));
        }
        return lines.text();
    }

    private static void identity(Lines lines, Api.SandboxView view) {
        view.identity()
                .ifPresent(
                        id ->
                                lines.add("sandbox id", id.runtimeId())
                                        .add("process", Long.toString(id.pid()))
                                        .add("network", Long.toString(id.netNamespaceInode())));
        view.verified().ifPresent(known -> lines.add("verified", known.at() + " by " + known.by()));
    }

    private static void life(Lines lines, Api.SandboxView view) {
        Api.UsageView usage = view.usage();
        Api.LifeView life = view.life();
        long bytes = usage.bytesUp() + usage.bytesDown();
        lines.add("requests", used(usage.requests(), life.requestsMax()))
                .add("bytes", used(bytes, life.bytesMax()))
                .add("", "  up " + usage.bytesUp() + ", down " + usage.bytesDown())
                .add("pushes", used(usage.pushes(), life.pushesMax()))
                .add("created", view.created())
                .add("last used", view.lastUsed())
                .add("ends", life.idleEnd() + " if unused")
                .add("", life.absoluteEnd() + " even if used, unless extended")
                .add("", life.latestEnd() + " at the latest");
    }

    private static String used(long used, Optional<Long> max) {
        return used + max.map(cap -> " of " + cap).orElse("");
    }

    private static String mount(Api.MountText mount) {
        return mount.path() + (mount.writable() ? " (writable)" : " (read-only)");
    }

    static String limits(Api.ResourceRequest limits) {
        List<String> parts = new ArrayList<>();
        parts.add("memory " + limits.memoryBytes().map(SandboxText::size).orElse(UNLIMITED));
        parts.add("cpus " + limits.milliCpus().map(SandboxText::processors).orElse(UNLIMITED));
        parts.add("pids " + limits.processes().map(count -> "" + count).orElse(UNLIMITED));
        limits.fileBytes().ifPresent(bytes -> parts.add("file size " + size(bytes)));
        return String.join(", ", parts);
    }

    /// What a person should know who may think that there are limits.
    static Optional<String> unlimited(Api.ResourceRequest limits) {
        boolean all = limits.memoryBytes().isPresent() && limits.processes().isPresent();
        return all
                ? Optional.empty()
                : Optional.of(
                        "there is no control group for this sandbox: limits are " + limits(limits));
    }

    private static String processors(long milliCpus) {
        return BigDecimal.valueOf(milliCpus, 3).stripTrailingZeros().toPlainString();
    }

    private static String size(long bytes) {
        return (bytes >> 20) + "m";
    }

    /// How a sandbox is held, as a person reads it.
    private static final class HardeningText {
        static String user(Api.HardeningView view) {
            return view.process()
                    .map(HardeningText::user)
                    .orElse("-")
                    .concat(view.user().equals("usual") ? "" : " (--user " + view.user() + ")");
        }

        private static String user(Api.ProcessUserView process) {
            String numbers = process.uid() + ":" + process.gid() + " on the host";
            return process.uid() == 0 ? numbers + ", ROOT without any capability" : numbers;
        }
    }
}
