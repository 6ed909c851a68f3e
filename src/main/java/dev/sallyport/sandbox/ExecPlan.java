package dev.sallyport.sandbox;

import java.util.List;
import java.util.Map;

/// The host command that enters the sandbox. The CLI runs it with its own standard streams and
/// exactly this environment.
public record ExecPlan(List<String> argv, Map<String, String> environment) {
    public ExecPlan {
        argv = List.copyOf(argv);
        environment = Map.copyOf(environment);
    }
}
