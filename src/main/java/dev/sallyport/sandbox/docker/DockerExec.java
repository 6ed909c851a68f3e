package dev.sallyport.sandbox.docker;

import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.SandboxEnvironment;
import dev.sallyport.sandbox.SandboxException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The `docker exec` that runs a person's command in their container. Docker makes the terminal
/// inside the container, so the person's own never gets in.
record DockerExec(URI engine) {
    /// Names that would mean something to the client itself, or to the loader that starts it. Their
    /// values go on its command line; all others through its environment, where they are not seen.
    private static final Pattern NAME_OF_THE_CLIENT =
            Pattern.compile("LD_.*|DOCKER_.*|GO.*|SSL_.*|.*_proxy|.*_PROXY|HOME|PATH|TERM|TMPDIR");

    ExecPlan plan(Identity identity, ExecRequest request) throws SandboxException {
        if (request.command().isEmpty() || request.command().getFirst().isEmpty()) {
            throw new SandboxException("there is no command to run. Give one after --.");
        }
        Map<String, String> variables =
                SandboxEnvironment.with(new TreeMap<>(), request.environment());
        Map<String, String> environment = new TreeMap<>();
        List<String> argv = new ArrayList<>();
        argv.addAll(List.of(HostProgram.require("docker"), "-H", engine.toString(), "exec"));
        argv.addAll(request.tty() ? List.of("-i", "-t") : List.of("-i"));
        argv.addAll(List.of("-w", request.directory().toString()));
        for (Map.Entry<String, String> variable : variables.entrySet()) {
            boolean onCommandLine = NAME_OF_THE_CLIENT.matcher(variable.getKey()).matches();
            if (!onCommandLine) {
                environment.put(variable.getKey(), variable.getValue());
            }
            String value = onCommandLine ? "=" + variable.getValue() : "";
            argv.addAll(List.of("-e", variable.getKey() + value));
        }
        argv.add(identity.runtimeId());
        argv.addAll(request.command());
        environment.put("PATH", "/usr/bin:/bin");
        if (request.tty()) {
            environment.put("TERM", variables.getOrDefault("TERM", "xterm-256color"));
        }
        return new ExecPlan(argv, environment, false);
    }
}
