package dev.sallyport.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// What happens when things break or end, and what the record says about all of it.
record EndTrials(Theatre theatre) {
    Claim gatewayIsReplaced() throws IOException {
        JsonNode before = theatre.ask("status");
        long killed = before.path("gatewayPid").asLong();
        boolean sent = killed > 1 && kill(killed);
        Instant begin = Instant.now();
        Shell.Said clone =
                theatre.inside("git clone -q https://" + Theatre.HOST + "/acme/app.git again");
        long millis = Duration.between(begin, Instant.now()).toMillis();
        JsonNode after = theatre.ask("status");
        return new Evidence()
                .require(sent, "killed with SIGKILL")
                .check(clone.ok(), "clone failed: " + clone.lastLine())
                .require(after.path("gatewayPid").asLong() != killed, "a new one took over")
                .require(
                        clone.ok(),
                        "the next clone was done after %.1f s".formatted(millis / 1_000.0))
                .claim("the gateway is killed and the sandbox keeps working");
    }

    private static boolean kill(long pid) {
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        return process.isPresent() && process.get().destroyForcibly();
    }

    Claim statusIsPassedOn() throws IOException {
        Shell.Said run =
                theatre.sallyportWithInput(
                        "through a pipe",
                        "run",
                        "--ephemeral-home",
                        "--runtime",
                        "bubblewrap",
                        "--no-repo",
                        "--workspace",
                        theatre.workspace().toString(),
                        "--",
                        "sh",
                        "-c",
                        "cat; exit 7");
        return new Evidence()
                .require(run.status() == 7, "exit status 7 is 7")
                .require(run.out().equals("through a pipe"), "pipes go through")
                .claim("run behaves like the command it runs");
    }

    Claim recordHolds() throws IOException {
        JsonNode verdict = theatre.ask("audit", "verify");
        Shell.Said denied = theatre.sallyport("audit", "show", "--denied", "--json");
        boolean ref = denied.out().contains("ref-not-allowed");
        boolean repo = denied.out().contains("repo-unavailable");
        String record = Files.readString(theatre.home().resolve("audit").resolve("audit.jsonl"));
        boolean secret = SecretTrial.forms(theatre.token()).anyMatch(record::contains);
        return new Evidence()
                .require(
                        verdict.path("holds").asBoolean(),
                        "%d lines, chain intact".formatted(verdict.path("lines").asLong()))
                .require(ref && repo, "both denials are in it")
                .require(!secret, "no token in it")
                .claim("everything is recorded in a log that can be verified");
    }

    Claim flippedBitIsFound() throws IOException {
        Path copy = Files.createDirectory(theatre.scratch().resolve("copy"));
        try (Stream<Path> files = Files.list(theatre.home().resolve("audit"))) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        Path log = copy.resolve("audit.jsonl");
        Shell.Said intact = theatre.sallyport("audit", "verify", "--file", log.toString());
        byte[] bytes = Files.readAllBytes(log);
        bytes[bytes.length / 2] ^= 1;
        Files.write(log, bytes);
        Shell.Said flipped = theatre.sallyport("audit", "verify", "--file", log.toString());
        return new Evidence()
                .require(intact.status() == 0, "a copy is valid")
                .require(flipped.status() == 1, "with one bit flipped it is not")
                .claim("a change of one bit in the log is found");
    }

    Claim nothingIsLeft() throws IOException {
        JsonNode identity = theatre.ask("show", Theatre.SANDBOX).path("identity");
        long pid = identity.path("pid").asLong();
        String namespace = "net:[" + identity.path("netNamespaceInode").asLong() + "]";
        // Held open, so that no new namespace gets its number meanwhile.
        try (InputStream _ = Files.newInputStream(Path.of("/proc", "" + pid, "ns", "net"))) {
            int before = processesIn(namespace);
            theatre.sallyport("destroy", Theatre.SANDBOX);
            awaitEnd(pid);
            JsonNode left = theatre.ask("list").path("sandboxes");
            return new Evidence()
                    .check(before > 0, "there was no process before")
                    .require(ProcessHandle.of(pid).isEmpty(), "its processes are gone")
                    .require(processesIn(namespace) == 0, "its network is gone")
                    .require(left.isEmpty(), "no sandbox is listed")
                    .claim("a removed sandbox leaves nothing behind");
        }
    }

    private static void awaitEnd(long pid) {
        ProcessHandle.of(pid)
                .ifPresent(
                        process ->
                                process.onExit()
                                        .orTimeout(5, TimeUnit.SECONDS)
                                        .exceptionally(e -> process)
                                        .join());
    }

    private static int processesIn(String namespace) throws IOException {
        int count = 0;
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            List<Path> all =
                    processes.filter(p -> p.getFileName().toString().matches("[0-9]+")).toList();
            for (Path process : all) {
                count += isIn(process, namespace) ? 1 : 0;
            }
        }
        return count;
    }

    private static boolean isIn(Path process, String namespace) {
        try {
            return Files.readSymbolicLink(process.resolve("ns/net")).toString().equals(namespace);
        } catch (IOException e) {
            return false;
        }
    }
}
