package dev.sallyport.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.sallyport.config.DialAddress;
import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.HostApi;
import dev.sallyport.kubernetes.AgentPod;
import dev.sallyport.policy.HostName;
import dev.sallyport.sandbox.PodFiles;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A ready pod for an agent. It needs no daemon: the gateway in the cluster decides what the pod
/// gets of what is asked for here.
@Command(
        name = "render",
        description = {
            "Print a pod manifest whose only network access is the gateway, for kubectl apply.",
            "Nothing is started, and no daemon is needed."
        },
        footer = {
            "",
            "Examples:",
            "  gateway=$(kubectl -n sallyport get service gateway \\",
            "    -o jsonpath={.spec.clusterIP}):8443",
            "  image=$(kubectl -n sallyport get configmap sallyport-pods \\",
            "    -o jsonpath={.data.image})",
            "  sallyport k8s render --gateway $gateway --sallyport-image $image \\",
            "    --image node:24 --repo acme/app --preset npm -- npm test \\",
            "    | kubectl apply -f -",
            "",
            "The gateway's policy.yaml decides what the pod gets. See docs/kubernetes.md."
        })
final class K8sRenderCommand extends SucceedingCommand {
    /// What Kubernetes takes for the name of anything, and Sallyport for that of a sandbox.
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,29}[a-z0-9])?");

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final String LABEL_REMEDY =
            "Use 1 to 63 lower-case letters, digits and hyphens, with a letter or digit first and last.";
    private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,511}");

    @Mixin private final ReachOptions reach = new ReachOptions();
    @Mixin private final GitOptions git = new GitOptions();
    @Mixin private final LifeOptions life = new LifeOptions();

    @Option(
            names = "--image",
            paramLabel = "IMAGE",
            required = true,
            description = "Image that the command runs in.")
    private String image = "";

    @Option(
            names = "--gateway",
            paramLabel = "IP:PORT",
            required = true,
            description =
                    "Address of the gateway's service in the cluster. A pod has no resolver to find it by name.")
    private String gateway = "";

    @Option(
            names = "--repo",
            paramLabel = "[HOST/]OWNER/NAME[:read|:write]",
            description =
                    "Grant a repository, also by its URL. Pushes go to agent/** branches, unless git: in policy.yaml says otherwise. Default: none. Repeatable.")
    private List<String> repos = new ArrayList<>();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the pod. Default: a generated name.")
    private @Nullable String name;

    @Option(
            names = "--namespace",
            paramLabel = "NAMESPACE",
            description = "Namespace of the pod. Default: ${DEFAULT-VALUE}.")
    private String namespace = "agents";

    @Option(
            names = "--service-account",
            paramLabel = "NAME",
            description =
                    "Service account that the gateway knows the pod by. Default: ${DEFAULT-VALUE}.")
    private String account = "agent";

    @Option(
            names = "--sallyport-image",
            paramLabel = "IMAGE",
            description =
                    "Image of Sallyport, the one that the admission policy names. Default: ${DEFAULT-VALUE}.")
    private String ownImage = "sallyport:latest";

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description =
                    "Set an environment variable; without a value, pass on yours. Repeatable.")
    private List<String> variables = new ArrayList<>();

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "Command and its arguments. Default: those of the image.")
    private List<String> command = new ArrayList<>();

    @Override
    void act() throws IOException, CliException {
        OwnArguments.requireUtf8();
        requireNames();
        reach.requireNotLearning();
        reach.requireWellFormed();
        SortedSet<HostName> hosts = gitHosts();
        Surroundings around = output.surroundings();
        GitSettings settings =
                git.settings(OwnIdentity.of(around.environment(), around.directory()));
        String podName = name == null ? generated() : name;
        AgentPod pod =
                new AgentPod(
                        new AgentPod.Place(podName, namespace, account),
                        new AgentPod.Sidecar(ownImage, gateway, port(), request(podName, settings)),
                        new AgentPod.Agent(
                                image, List.copyOf(command), environment(hosts, settings)));
        output.answer(pod.manifest(), pod.yaml());
    }

    private String request(String podName, GitSettings settings)
            throws CliException, JsonProcessingException {
        Api.ReachRequest reached = reach.request(output, List.of(), List.of());
        return ApiJson.requests()
                .writeValueAsString(
                        new HostApi.Open(
                                podName,
                                RepoArgument.all(repos).stream().map(RepoArgument::text).toList(),
                                reached,
                                settings,
                                life.request()));
    }

    /// As in a sandbox on this machine, with the files where the sidecar puts them.
    private SortedMap<String, String> environment(
            SortedSet<HostName> gitHosts, GitSettings settings) throws CliException {
        SortedMap<String, String> all = PodFiles.variables(PodFiles.DIRECTORY, gitHosts, settings);
        all.put("HOME", "/workspace");
        all.putAll(new CommandRequest(output, command, variables, Map.of()).environment(false));
        return all;
    }

    private static String generated() {
        return "agent-%06x".formatted(new SecureRandom().nextInt(1 << 24));
    }

    private int port() {
        return Integer.parseInt(gateway.substring(gateway.lastIndexOf(':') + 1));
    }

    private void requireNames() throws CliException {
        require(image, IMAGE, "--image", "Write it as in registry.example.com/team/app:1.2.");
        require(ownImage, IMAGE, "--sallyport-image", "Write it as in sallyport:1.2.");
        require(
                name == null ? "any" : name,
                NAME,
                "--name",
                "Use 1 to 31 lower-case letters, digits and hyphens, with a letter or digit first and last.");
        require(namespace, LABEL, "--namespace", LABEL_REMEDY);
        require(account, LABEL, "--service-account", LABEL_REMEDY);
        if (!DialAddress.isDial(gateway) || gateway.startsWith("[")) {
            throw ExitCode.USAGE.because(
                    "bad-gateway",
                    "--gateway: not an IPv4 address and a port.",
                    "Find the address with: kubectl -n sallyport get service gateway -o jsonpath={.spec.clusterIP}. The port is 8443.");
        }
    }

    private static void require(String value, Pattern form, String option, String remedy)
            throws CliException {
        if (!form.matcher(value).matches()) {
            throw ExitCode.USAGE.because("bad-name", option + ": not a valid name.", remedy);
        }
    }

    private SortedSet<HostName> gitHosts() throws CliException {
        SortedSet<HostName> hosts = new TreeSet<>();
        for (RepoArgument repo : RepoArgument.all(repos)) {
            hosts.add(repo.pattern().host());
        }
        return hosts;
    }
}
