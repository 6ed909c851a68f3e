package dev.sallyport.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where and with what a run was made.
final class Machine {
    private static final Pattern NUMBER = Pattern.compile("\\d+\\.\\d+(\\.\\d+)?");

    private static final Map<String, List<String>> VERSIONS =
            new TreeMap<>(
                    Map.of(
                            "nginx", List.of("/usr/sbin/nginx", "-v"),
                            "haproxy", List.of("/usr/sbin/haproxy", "-v"),
                            "squid", List.of("/usr/sbin/squid", "-v"),
                            "tinyproxy", List.of("/usr/bin/tinyproxy", "-v"),
                            "mitmproxy", List.of("mitmdump", "--version"),
                            "git", List.of("git", "--version"),
                            "wrk", List.of("wrk", "-v")));

    private Machine() {}

    static ObjectNode describe(ObjectNode run) throws IOException {
        run.put("begun", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        run.put("quick", Run.QUICK);
        run.put("load", Usage.load());
        run.put("commit", Command.of("git", "rev-parse", "--short", "HEAD").run().out().strip());
        run.put("cores", Runtime.getRuntime().availableProcessors());
        run.put("processor", processor());
        run.put("kernel", System.getProperty("os.version"));
        run.put("java", Runtime.version().toString());
        VERSIONS.forEach((name, argv) -> run.withObject("/versions").put(name, version(argv)));
        return run;
    }

    private static String processor() throws IOException {
        return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    private static String version(List<String> argv) {
        if (argv.getFirst().startsWith("/") && !Files.exists(Path.of(argv.getFirst()))) {
            return "missing";
        }
        String shell = String.join(" ", argv) + " 2>&1; true";
        Matcher number = NUMBER.matcher(Command.of("sh", "-c", shell).run().out());
        return number.find() ? number.group() : "missing";
    }
}
