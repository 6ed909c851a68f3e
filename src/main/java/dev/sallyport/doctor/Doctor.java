package dev.sallyport.doctor;

import dev.sallyport.config.Home;
import dev.sallyport.config.Machine;
import dev.sallyport.confine.Landlock;
import dev.sallyport.porter.SidecarProcess;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.MountedSessions;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.bubblewrap.BubblewrapRuntime;
import dev.sallyport.sandbox.bubblewrap.RunningSandboxes;
import dev.sallyport.sandbox.docker.DockerRuntime;
import dev.sallyport.sandbox.docker.EngineReport;
import dev.sallyport.warden.GatewayDirectories;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// All checks, in the order in which a person would look.
///
/// @param machine whose tools presets look at
/// @param engine address of the container engine
/// @param work where sandboxes work: the current directory
/// @param program file that this program was started from
/// @param version of this program
public record Doctor(
        Home home, Machine machine, URI engine, Path work, Path program, String version) {

    public List<Finding> examine() {
        return checks().stream().flatMap(check -> check.look().stream()).toList();
    }

    private List<Check> checks() {
        Person person = Person.current();
        Installation installation = new Installation(home.root());
        WardenView warden = WardenView.ask(home);
        FleetSight fleet = FleetSight.ask(home);
        Optional<EngineReport> report = EngineReport.of(engine, installation);
        var bubblewrap = new BubblewrapRuntime(installation, person);
        var docker = new DockerRuntime(installation, person, engine);
        return List.of(
                new JavaCheck(Runtime.version()),
                new KernelCheck(
                        Path.of("/proc"),
                        Path.of("/sys/fs/cgroup"),
                        Landlock.version(),
                        person.isRoot()),
                new ToolsCheck(HostProgram::find),
                new RuntimeCheck(bubblewrap::obstacle, docker::obstacle, () -> report),
                new HomeCheck(home),
                new PolicyCheck(home.policyFile(), machine),
                new ClockCheck(InstantSource.system(), home.auditLog(), program),
                new DiskCheck(places(person)),
                new DaemonCheck(warden, version),
                new SecretCheck(warden),
                new FleetCheck(fleet, InstantSource.system()),
                new RemoteGatewayCheck(fleet, version),
                new SidecarCheck(
                        warden.status()
                                .map(running -> SidecarProcess.of(running.wardenPid()))
                                .orElse(List.of()),
                        person.uid()),
                new LeftoverCheck(home, running(installation, person, report), warden.sessions()));
    }

    private Map<String, Path> places(Person person) {
        Map<String, Path> places = new LinkedHashMap<>();
        places.put("state", home.root());
        places.put("work", work);
        places.put(
                "mirrors",
                person.isRoot() ? Path.of("/var/lib/sallyport") : home.root().resolve("mirrors"));
        return places;
    }

    private Map<String, Supplier<Set<String>>> running(
            Installation installation, Person person, Optional<EngineReport> report) {
        Map<String, Supplier<Set<String>>> running = new LinkedHashMap<>();
        running.put("process", () -> RunningSandboxes.of(installation, person));
        running.put("namespace", () -> MountedSessions.of(installation));
        running.put("gateway directory", () -> GatewayDirectories.abandoned(home));
        running.put("container", () -> report.map(EngineReport::sessions).orElse(Set.of()));
        return running;
    }
}
