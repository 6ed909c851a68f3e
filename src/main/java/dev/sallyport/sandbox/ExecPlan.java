package dev.sallyport.sandbox;

import java.util.List;
import java.util.Map;

/// The host command that enters the sandbox. The CLI runs it with its own standard streams and
/// exactly this environment.
///
/// @param enters whether the very process that is started goes inside, with what it has inherited;
///   a container engine's client stays outside
public record ExecPlan(List<String> argv, Map<String, String> environment, boolean enters) {
    public ExecPlan {
        argv = List.copyOf(argv);
        environment = Map.copyOf(environment);
    }
}
