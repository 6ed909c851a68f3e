package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ControlGroup;
import dev.sallyport.sandbox.ControlGroups;
import dev.sallyport.sandbox.EndWatch;
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
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.Sighting;
import dev.sallyport.sandbox.Workspace;
import dev.sallyport.sandbox.WorkspaceMount;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

    private void removeAfterFailure(SandboxSpec spec, SandboxException failure) {
        try {
            destroy(spec, Optional.empty());
        } catch (SandboxException e) {
            failure.addSuppressed(e);
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
            requireOwnMounts(spec, identity);
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

    private void requireOwnMounts(SandboxSpec spec, Identity identity) throws SandboxException {
        try {
            WorkspaceMount.require(identity.pid(), spec);
        } catch (SandboxException e) {
            stop(spec, identity);
            throw e;
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
    public boolean isAlive(SandboxSpec spec, Identity identity) {
        return ProcessIdentity.isAlive(identity);
    }

    @Override
    public Sighting look(SandboxSpec spec, Identity known) {
        return ProcessIdentity.isAlive(known) ? Sighting.of(known, "kernel") : Sighting.NOTHING;
    }

    @Override
    public ExecPlan exec(SandboxSpec spec, Identity identity, ExecRequest request)
            throws SandboxException {
        if (!isAlive(spec, identity)) {
            throw new SandboxException(
                    "the sandbox "
                            + spec.name()
                            + " is not running. Start it with: sallyport start "
                            + spec.name());
        }
        Optional<ControlGroup> group = ControlGroup.of(spec.files());
        if (group.isEmpty() && spec.resources().needGroup(person)) {
            throw new SandboxException(
                    "the sandbox's control group is lost. Restart the sandbox: sallyport stop "
                            + spec.name()
                            + ", then sallyport start "
                            + spec.name());
        }
        return new BubblewrapExec(person, group).plan(spec, identity, request);
    }

    @Override
    public void onEnd(SandboxSpec spec, Identity identity, Consumer<SessionId> listener) {
        EndWatch.start(spec.id(), identity, listener);
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
}
