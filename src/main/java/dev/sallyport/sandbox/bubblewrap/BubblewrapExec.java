package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.sandbox.ControlGroup;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.SandboxEnvironment;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxTrust;
import dev.sallyport.sandbox.ShellWords;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/// The host command that runs a person's command inside a running sandbox.
///
/// `nsenter` joins the namespaces; `unshare` adds one more user namespace, in which the person has
/// their own number again and no rights over the sandbox's mounts and network; `setpriv` sees to it
/// that none come back; a shell sets variables and directory and becomes the command. Should the
/// pid have been reused by a process of the host, `nsenter` fails: a process cannot join the user
/// namespace that it is already in.
///
/// The person's terminal never gets in, or a program inside could type into it (`TIOCSTI`). The
/// outer `script` holds it and passes on a terminal of its own; the inner one makes another from
/// the sandbox's `/dev/pts`, so that job control and Ctrl-C concern processes of the sandbox only.
///
/// @param group joined before anything else, so that nothing enters without its limits
record BubblewrapExec(Person person, Optional<ControlGroup> group) {
    private static final String VARIABLE = "SALLYPORT_ENV_";
    private static final String HOST_PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

    /// Kept well below what the kernel takes for one argument (128 KiB), as quoting makes it grow.
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

    /// When the person's side has died, the command gets `TERM`; with a terminal it is the inner
    /// `script`, which understands no other signal and closes that terminal.
    private List<String> entry(SandboxSpec spec, Identity identity) throws SandboxException {
        List<String> argv = new ArrayList<>();
        group.ifPresent(limits -> argv.addAll(limits.joining()));
        argv.addAll(List.of(HostProgram.require("nsenter"), "-t", Long.toString(identity.pid())));
        argv.addAll(List.of("-U", "-m", "-p", "-i", "-n", "-u", "--preserve-credentials", "--"));
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

    /// The variables travel under neutral names and get their own at the last moment: so none of
    /// them (`LD_PRELOAD`, say) means anything to the programs on the host's side, and no value
    /// appears on a command line.
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
