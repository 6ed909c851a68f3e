package dev.sallyport.bench;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/// A machine with one sandbox, which asks for something twice a second, whatever became of what it
/// asked before. Each request has a number of its own, and is never sent again.
final class DrillAsker {
    static final String SANDBOX = "work";

    /// Longer than a connection waits for a gateway.
    private static final int SECONDS_MAX = 12;

    /// More than begin in that time.
    private static final int UNDER_WAY_MAX = 40;

    private static final int REQUESTS_MAX = 1_800;
    private static final int GOOD_IN_A_ROW = 6;
    private static final Duration END_MAX = Duration.ofMinutes(1);

    private final String name;
    private final Installation machine;

    /// How a request went.
    ///
    /// @param began in microseconds since 1970, like `ended`
    /// @param code the status of the answer; `000` without one
    record Asked(int number, long began, long ended, String code) {
        boolean isServed() {
            return code.equals("200");
        }
    }

    /// @param name the machine's, where it is enrolled
    DrillAsker(String name, Installation machine) {
        this.name = name;
        this.machine = machine;
    }

    String name() {
        return name;
    }

    Installation machine() {
        return machine;
    }

    /// The number as it is in paths, but for the count.
    String prefix() {
        return name + "-";
    }

    /// Begins to ask, in the background of the sandbox, so that no command has to wait for it.
    void begin() throws IOException {
        Files.writeString(
                machine.workspace().resolve("ask.sh"),
                """
                n=0
                while [ ! -e stop ] && [ $n -lt %d ]; do
                  n=$((n + 1))
                  {
                    began=${EPOCHREALTIME/[.,]/}
                    code=$(curl -sS --http1.1 -m %d -o /dev/null -w '%%{http_code}' https://%s%s%s$n 2>>errors)
                    echo "$n $began ${EPOCHREALTIME/[.,]/} $code" >>asked
                  } &
                  sleep 0.5
                done
                wait
                touch ended
                """
                        .formatted(
                                REQUESTS_MAX, SECONDS_MAX, Arrivals.HOST, Arrivals.PATH, prefix()));
        String start = "setsid bash ask.sh </dev/null >/dev/null 2>&1 &";
        machine.sallyport("exec", SANDBOX, "--", "bash", "-c", start).run().ok();
    }

    /// Stops asking, and waits for what is under way.
    void end() throws IOException {
        Path workspace = machine.workspace();
        Files.writeString(workspace.resolve("stop"), "");
        Await.until("the last answer", END_MAX, () -> Files.exists(workspace.resolve("ended")));
    }

    /// All requests that are over, in the order in which they began.
    List<Asked> asked() throws IOException {
        Path file = machine.workspace().resolve("asked");
        if (!Files.exists(file)) {
            return List.of();
        }
        return Files.readAllLines(file).stream()
                .map(line -> line.split(" ", -1))
                .filter(parts -> parts.length == 4)
                .map(DrillAsker::parsed)
                .sorted(Comparator.comparingInt(Asked::number))
                .toList();
    }

    private static Asked parsed(String... parts) {
        return new Asked(
                Integer.parseInt(parts[0]),
                Long.parseLong(parts[1]),
                Long.parseLong(parts[2]),
                parts[3]);
    }

    /// Whether some in a row that began after this were served, and all before them are over.
    boolean isServed(long since) throws IOException {
        List<Asked> all = asked();
        int size = all.size();
        if (size < GOOD_IN_A_ROW) {
            return false;
        }
        int newest = all.getLast().number();
        long over = all.stream().filter(one -> one.number() > newest - UNDER_WAY_MAX).count();
        return over == Math.min(UNDER_WAY_MAX, newest)
                && all.subList(size - GOOD_IN_A_ROW, size).stream()
                        .allMatch(one -> one.isServed() && one.began() > since);
    }
}
