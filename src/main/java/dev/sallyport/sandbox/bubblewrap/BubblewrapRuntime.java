package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ControlGroup;
import dev.sallyport.sandbox.ControlGroups;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.LeftoverFiles;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.PidDescriptor;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxEnvironment;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxTrust;
import dev.sallyport.sandbox.ShellWords;
import dev.sallyport.sandbox.Sighting;
import dev.sallyport.sandbox.Workspace;
import dev.sallyport.sandbox.WorkspaceMount;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;

/// Sandboxes made of namespaces by bubblewrap, for root and for ordinary users.
///
/// A sandbox is a process tree in a session of its own: it survives the warden, and a later warden
/// finds it by its identity or by the marks on its command line. Stopping it keeps the workspace
/// and forgets the rest.
public final class BubblewrapRuntime implements SandboxRuntime {
    private final Installation installation;
    private final Person person;
    private final Guise guise;
    private final MarkedProcesses marked;
    private final BubblewrapFeatures.Known features = new BubblewrapFeatures.Known();
    private final BubblewrapObstacle obstacle = new BubblewrapObstacle();

    public BubblewrapRuntime(Installation installation, Person person) {
        this(installation, person, Guise.OWN);
    }

    /// @param guise as whom sandboxes are made
    public BubblewrapRuntime(Installation installation, Person person, Guise guise) {
        this.installation = installation;
        this.person = person;
        this.guise = guise;
        this.marked = new MarkedProcesses(installation, person);
    }

    @Override
    public RuntimeKind kind() {
        return RuntimeKind.BUBBLEWRAP;
    }

    @Override
    public Optional<String> obstacle() {
        return obstacle.find(guise);
    }

    @Override
    public Identity create(SandboxSpec spec) throws SandboxException {
        try {
            return start(spec, Optional.empty());
        } catch (SandboxException e) {
            removeAfterFailure(spec, e);
            throw e;
        }
    }

    @Override
    public Identity start(SandboxSpec spec, Optional<Identity> before) throws SandboxException {
        guise.look(() -> Workspace.requireUnchanged(spec));
        SandboxFiles.write(spec, person);
        BubblewrapHome.make(spec, person);
        try {
            var command = new BubblewrapCommand(installation, person, guise, features.get());
            Identity identity =
                    BubblewrapLaunch.start(spec, person, guise, command.of(spec, makeGroup(spec)));
            WorkspaceMount.requireOrStop(this, spec, identity);
            return identity;
        } catch (SandboxException e) {
            // Next time somebody asks, a trial says what is wrong with this machine.
            obstacle.doubt();
            throw e;
        } catch (IOException e) {
            throw new SandboxException("cannot run bubblewrap: " + e.getMessage(), e);
        }
    }

    private Optional<ControlGroup> makeGroup(SandboxSpec spec) throws SandboxException {
        if (!spec.resources().needGroup(person)) {
            return Optional.empty();
        }
        Optional<ControlGroups> groups = ControlGroups.find();
        if (groups.isEmpty()) {
            throw new SandboxException(
                    "the limits of the sandbox need a control group, and none can be created here now. Start Sallyport as before, or create a sandbox without these limits.");
        }
        return Optional.of(ControlGroup.make(groups.get(), spec));
    }

    private void removeGroup(SandboxSpec spec) throws SandboxException {
        Optional<ControlGroup> group = ControlGroup.of(spec.files());
        if (group.isPresent()) {
            group.get().remove();
        }
    }

    @Override
    public void stop(SandboxSpec spec, Identity identity) throws SandboxException {
        PidDescriptor.kill(identity.pid(), () -> ProcessIdentity.isAlive(identity));
        marked.kill(spec.id()::equals);
        removeGroup(spec);
        BubblewrapHome.clear(spec);
    }

    @Override
    public void destroy(SandboxSpec spec, Optional<Identity> identity) throws SandboxException {
        if (identity.isPresent()) {
            stop(spec, identity.get());
        } else {
            marked.kill(spec.id()::equals);
            removeGroup(spec);
        }
        SandboxFiles.remove(spec.files());
    }

    @Override
    public Sighting look(SandboxSpec spec, Identity known) {
        return ProcessIdentity.isAlive(known) ? Sighting.of(known, "kernel") : Sighting.NOTHING;
    }

    @Override
    public ExecPlan exec(SandboxSpec spec, Identity identity, ExecRequest request)
            throws SandboxException {
        requireAlive(spec, identity);
        Optional<ControlGroup> group = ControlGroup.of(spec.files());
        if (group.isEmpty() && spec.resources().needGroup(person)) {
            throw new SandboxException(
                    "the sandbox's control group is lost. Restart the sandbox: sallyport stop %s, then sallyport start %s"
                            .formatted(spec.name(), spec.name()));
        }
        return new BubblewrapExec(person, group).plan(spec, identity, request);
    }

    /// Nobody can start its processes anew but us.
    @Override
    public void onChange(SandboxSpec spec, Consumer<SessionId> listener) {}

    @Override
    public int sweep(Set<SessionId> known) throws SandboxException {
        int swept = marked.kill(id -> !known.contains(id));
        LeftoverFiles.remove(installation, kind(), known);
        return swept;
    }

    /// Starts bubblewrap and waits until the sandbox stands: its first process is known and every
    /// mount is in place.
    private static final class BubblewrapLaunch {
        private static final Duration START_MAX = Duration.ofSeconds(30);
        private static final int LOG_BYTES_MAX = 8_192;

        static Identity start(SandboxSpec spec, Person person, Guise guise, List<String> command)
                throws SandboxException {
            Path log = spec.files().resolve("bubblewrap.log");
            try {
                SandboxFiles.write(BubblewrapCommand.filter(spec), SyscallFilter.ofSandbox());
                Process process =
                        guise.start(HostProgram.builder(command).redirectError(log.toFile()));
                Thread limit = HostProgram.endLate(process, START_MAX);
                try (InputStream report = process.getInputStream()) {
                    return FirstProcess.of(report, process.pid(), person.uid());
                } catch (IOException e) {
                    process.destroyForcibly();
                    throw e;
                } finally {
                    limit.interrupt();
                }
            } catch (IOException e) {
                throw new SandboxException(
                        "bubblewrap could not create the sandbox; " + said(log, e), e);
            }
        }

        private static String said(Path log, IOException e) {
            try {
                String text;
                try (InputStream all = Files.newInputStream(log)) {
                    text =
                            new String(all.readNBytes(LOG_BYTES_MAX), StandardCharsets.UTF_8)
                                    .strip();
                }
                return e.getMessage() + (text.isEmpty() ? "" : "; it said: " + text);
            } catch (IOException unreadable) {
                e.addSuppressed(unreadable);
                return String.valueOf(e.getMessage());
            }
        }
    }

    /// The host command that runs a person's command inside a running sandbox.
    ///
    /// `nsenter` joins the namespaces; `unshare` adds one more user namespace, in which the person
    /// has their own number again and no rights over the sandbox's mounts and network; `setpriv`
    /// sees to it that none come back; a shell sets variables and directory and becomes the
    /// command. Should the pid have been reused by a process of the host, `nsenter` fails: a
    /// process cannot join the user namespace that it is already in.
    ///
    /// The person's terminal never gets in, or a program inside could type into it (`TIOCSTI`). The
    /// outer `script` holds it and passes on a terminal of its own; the inner one makes another
    /// from the sandbox's `/dev/pts`, so that job control and Ctrl-C concern processes of the
    /// sandbox only.
    ///
    /// @param group joined before anything else, so that nothing enters without its limits
    record BubblewrapExec(Person person, Optional<ControlGroup> group) {
        private static final String VARIABLE = "SALLYPORT_ENV_";
        private static final String HOST_PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

        /// Kept well below what the kernel takes for one argument (128 KiB), as quoting makes it
        /// grow.
        private static final int TTY_COMMAND_CHARS_MAX = 30_000;

        ExecPlan plan(SandboxSpec spec, Identity identity, ExecRequest request)
                throws SandboxException {
            check(request);
            SortedMap<String, String> ours =
                    SandboxEnvironment.of(spec, spec.home().inhabitant(person), request.tty());
            ours.putAll(SandboxTrust.variables(spec));
            ours.putAll(SandboxTrust.onlyBundle(spec));
            Map<String, String> variables = SandboxEnvironment.with(ours, request.environment());
            List<String> inside = inside(request, variables);
            List<String> argv = new ArrayList<>();
            if (request.tty()) {
                argv.addAll(entry(spec, identity));
                argv.addAll(script(inside));
                argv = script(argv);
            } else {
                argv.addAll(entry(spec, identity));
                argv.addAll(List.of(HostProgram.require("setsid"), "-w"));
                argv.addAll(inside);
            }
            return new ExecPlan(argv, carried(variables), true);
        }

        private static void check(ExecRequest request) throws SandboxException {
            if (request.command().isEmpty() || request.command().getFirst().isEmpty()) {
                throw new SandboxException("there is no command to run. Give one after --.");
            }
            if (!request.directory().isAbsolute()) {
                throw new SandboxException("the working directory must be an absolute path.");
            }
            if (request.command().stream().anyMatch(word -> word.indexOf('\0') >= 0)) {
                throw new SandboxException("an argument contains a NUL character. Remove it.");
            }
            int length = request.command().stream().mapToInt(String::length).sum();
            if (request.tty() && length > TTY_COMMAND_CHARS_MAX) {
                throw new SandboxException(
                        "the command is too long for a terminal. Put it into a file in the workspace and run that.");
            }
        }

        /// When the person's side has died, the command gets `TERM`; with a terminal it is the
        /// inner `script`, which understands no other signal and closes that terminal.
        private List<String> entry(SandboxSpec spec, Identity identity) throws SandboxException {
            List<String> argv = new ArrayList<>();
            group.ifPresent(limits -> argv.addAll(limits.joining()));
            argv.addAll(
                    List.of(HostProgram.require("nsenter"), "-t", Long.toString(identity.pid())));
            argv.addAll(
                    List.of("-U", "-m", "-p", "-i", "-n", "-u", "--preserve-credentials", "--"));
            argv.addAll(BubblewrapCommand.ProcessLimits.of(spec.resources()));
            argv.addAll(List.of(HostProgram.require("unshare"), "--user"));
            argv.addAll(List.of("--map-user=" + person.uid(), "--map-group=" + person.gid(), "--"));
            argv.addAll(List.of(HostProgram.require("setpriv"), "--no-new-privs"));
            argv.addAll(List.of("--bounding-set=-all", "--inh-caps=-all"));
            argv.addAll(List.of("--pdeathsig", "TERM", "--"));
            return argv;
        }

        private static List<String> script(List<String> command) throws SandboxException {
            return List.of(
                    HostProgram.require("script"), "-qefc", ShellWords.quote(command), "/dev/null");
        }

        private static List<String> inside(ExecRequest request, Map<String, String> variables) {
            List<String> argv = new ArrayList<>();
            argv.addAll(List.of("/bin/sh", "-c", setup(variables.size()), "sallyport"));
            argv.add(request.directory().toString());
            argv.addAll(request.command());
            return argv;
        }

        /// The variables travel under neutral names and get their own at the last moment: so none
        /// of them (`LD_PRELOAD`, say) means anything to the programs on the host's side, and no
        /// value appears on a command line.
        private static String setup(int variables) {
            StringBuilder text = new StringBuilder("cd -- \"$1\" || exit 126; shift; ");
            for (int i = 0; i < variables; i++) {
                text.append("export \"$").append(VARIABLE).append(i).append("\"; ");
                text.append("unset ").append(VARIABLE).append(i).append("; ");
            }
            return text.append("exec \"$@\"").toString();
        }

        private static Map<String, String> carried(Map<String, String> variables) {
            Map<String, String> environment = new LinkedHashMap<>();
            variables.forEach(
                    (name, value) ->
                            environment.put(VARIABLE + environment.size(), name + "=" + value));
            environment.put("PATH", HOST_PATH);
            return environment;
        }
    }
}
