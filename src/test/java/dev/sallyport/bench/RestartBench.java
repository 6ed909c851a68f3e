package dev.sallyport.bench;

import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.Processes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// What many idle sandboxes cost: the time until a new warden answers and until all of them have
/// doors again, and the processor time of an idle minute. Its argument is how many.
final class RestartBench {
    private static final int MAKERS = 4;
    private static final boolean QUICK = System.getenv("BENCH_QUICK") != null;
    private static final Duration IDLE = Duration.ofSeconds(QUICK ? 15 : 60);
    private static final Duration SETTLE = Duration.ofSeconds(QUICK ? 10 : 60);
    private static final Duration DOORS_MAX = Duration.ofMinutes(3);
    private static final Duration DOWN_MAX = Duration.ofMinutes(10);
    private static final Duration MAKE_MAX = Duration.ofMinutes(15);
    private static final String READY = "all sandboxes taken over";

    private RestartBench() {}

    public static void main(String[] arguments) throws Exception {
        int count = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 400;
        Path root = Files.createTempDirectory("sallyport-bench-").toRealPath();
        try (Installation installation = Installation.bare(root.resolve("i"))) {
            measure(installation, new Home(installation.home()), count);
        } finally {
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private static void measure(Installation installation, Home home, int count) throws Exception {
        installation.sallyport("up").run().ok();
        System.out.printf("load %s%n", Files.readString(Path.of("/proc/loadavg")).strip());
        idle(installation, 0);
        make(installation, home, count);
        Api.Status before = status(home);
        ProcessHandle.of(before.wardenPid()).ifPresent(ProcessHandle::destroyForcibly);
        Await.until("the end", DOORS_MAX, () -> Processes.hasEnded(before.wardenPid()));
        Files.writeString(home.wardenLog(), "");
        long began = System.nanoTime();
        String listed = installation.sallyport("list").run().ok();
        System.out.printf(
                "%d sandboxes: list answered after %.1f s with %d lines%n",
                count, since(began), listed.lines().count());
        Await.until(
                "the take-over",
                DOORS_MAX,
                () -> Files.readString(home.wardenLog()).contains(READY));
        Await.until("all doors", DOORS_MAX, () -> withDoors(home) == count);
        System.out.printf("%d sandboxes: all with doors after %.1f s%n", count, since(began));
        Files.readString(home.wardenLog())
                .lines()
                .filter(l -> l.contains(READY))
                .forEach(System.out::println);
        LockSupport.parkNanos(SETTLE.toNanos());
        idle(installation, count);
        long down = System.nanoTime();
        installation.sallyport("down").within(DOWN_MAX).run().ok();
        System.out.printf("%d sandboxes: stopped in %.1f s%n", count, since(down));
        System.out.printf("load %s%n", Files.readString(Path.of("/proc/loadavg")).strip());
    }

    static long withDoors(Home home) throws ControlException {
        try (ControlClient client = ControlClient.connect(home)) {
            return client.sandboxes().sandboxes().stream()
                    .filter(view -> view.state().equals("running") && view.notices().isEmpty())
                    .count();
        }
    }

    static void make(Installation installation, Home home, int count) throws Exception {
        long began = System.nanoTime();
        try (ExecutorService makers = Executors.newFixedThreadPool(MAKERS)) {
            for (int i = 0; i < count; i++) {
                String name = "box-" + i;
                makers.execute(() -> create(home, name, installation.workspace()));
            }
            makers.shutdown();
            if (!makers.awaitTermination(MAKE_MAX.toSeconds(), TimeUnit.SECONDS)) {
                makers.shutdownNow();
                throw new AssertionError("not all sandboxes were made in " + MAKE_MAX);
            }
        }
        System.out.printf("%d sandboxes made in %.1f s%n", count, since(began));
    }

    private static void create(Home home, String name, Path workspace) {
        try (ControlClient client = ControlClient.connect(home)) {
            client.create(
                    new Api.CreateSandbox(
                            Optional.of(name),
                            Optional.of("bubblewrap"),
                            Optional.empty(),
                            workspace.toString(),
                            List.of(),
                            Api.ReachRequest.STANDARD,
                            GitSettings.STANDARD,
                            false,
                            Api.LifeRequest.STANDARD,
                            Api.MountRequest.NONE,
                            Api.ResourceRequest.STANDARD,
                            Api.HardeningRequest.STANDARD,
                            Api.HomeRequest.STANDARD,
                            Optional.empty()));
        } catch (ControlException e) {
            System.out.println(name + ": " + e.getMessage());
        }
    }

    private static void idle(Installation installation, int count) throws Exception {
        installation.awaitSpare();
        List<Long> all = Usage.processesOf(installation);
        double before = Usage.cpuSeconds(all);
        LockSupport.parkNanos(IDLE.toNanos());
        System.out.printf(
                "%d sandboxes: %.2f CPU seconds in an idle minute%n",
                count, (Usage.cpuSeconds(all) - before) * 60 / IDLE.toSeconds());
    }

    private static Api.Status status(Home home) throws ControlException {
        try (ControlClient client = ControlClient.connect(home)) {
            return client.status();
        }
    }

    private static double since(long began) {
        return (System.nanoTime() - began) / 1e9;
    }
}
