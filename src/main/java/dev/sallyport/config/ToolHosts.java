package dev.sallyport.config;

import java.util.List;

/// What the configuration of one tool says about where it gets things from.
///
/// @param replacesDefault whether it names hosts to be asked instead of the public ones
/// @param warnings what was not read, and why; nothing of a file's content
record ToolHosts(List<ToolHost> hosts, boolean replacesDefault, List<String> warnings) {
    static final ToolHosts NONE = new ToolHosts(List.of(), false, List.of());

    ToolHosts {
        hosts = List.copyOf(hosts);
        warnings = List.copyOf(warnings);
    }
}
