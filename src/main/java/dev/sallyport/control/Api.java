package dev.sallyport.control;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Seed;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The bodies of the control API, version 1. `docs/protocol/control-api.md` is written from this
/// file.
public interface Api {
    /// `POST /v1/sandboxes`. An ephemeral sandbox lives as long as the connection that made it, or
    /// that took its lease.
    ///
    /// @param repos `[host/]owner/name[:read|:write]`, or `[host/]owner/*` for all of one owner
    /// @param gateway name of one on another machine; absent for the one here
    record CreateSandbox(
            Optional<String> name,
            Optional<String> runtime,
            Optional<String> image,
            String workspace,
            List<String> repos,
            ReachRequest reach,
            GitSettings git,
            boolean ephemeral,
            LifeRequest life,
            MountRequest mounts,
            ResourceRequest resources,
            HardeningRequest hardening,
            HomeRequest home,
            Optional<String> gateway) {}

    /// The home directory of a sandbox.
    ///
    /// @param ephemeral whether it goes with the sandbox; otherwise it lasts, for an ephemeral
    ///   sandbox with the workspace, for another one until that is destroyed
    /// @param seeds files put there before its first command; at most 64, with 128 KiB in all
    record HomeRequest(boolean ephemeral, List<Seed> seeds) {
        public static final HomeRequest STANDARD = new HomeRequest(false, List.of());
    }

    /// `GET /v1/homes`
    record HomeList(List<HomeView> homes) {}

    /// A home directory that lasts.
    ///
    /// @param of directory of the project, or name of the sandbox, that it belongs to
    /// @param bytes what it takes on disk; absent when it cannot be measured
    /// @param sandboxes those that are running and use it
    record HomeView(String of, Optional<Long> bytes, String lastUsed, List<String> sandboxes) {}

    /// `POST /v1/homes/remove`: one of the two.
    ///
    /// @param of as of [HomeView]
    /// @param unused all that were not used for so long, such as `30d`
    record RemoveHomes(Optional<String> of, Optional<String> unused) {}

    /// Answer to [RemoveHomes].
    record HomesRemoved(List<String> removed) {}

    /// How long a sandbox is to live, and how much it may use. What is absent is as usual: 24 hours
    /// of rest, 7 days in all, no caps.
    ///
    /// @param idle `90s`, `30m`, `12h` or `7d`
    /// @param expires likewise, from now
    /// @param maxBytes up and down together: `500M`, `2G`
    record LifeRequest(
            Optional<String> idle,
            Optional<String> expires,
            Optional<Long> maxRequests,
            Optional<String> maxBytes,
            Optional<Long> maxPushes) {
        public static final LifeRequest STANDARD =
                new LifeRequest(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
    }

    /// `POST /v1/sandboxes/{name}/extend`
    ///
    /// @param duration from now, as `idle` of [LifeRequest]
    record Extend(Optional<String> duration) {}

    /// What a sandbox is to see of the host's files besides its workspace.
    ///
    /// @param extra absolute paths, at the same path inside
    /// @param hide files in the workspace, relative to it, that are to look empty
    /// @param refused further places that must not be mounted, as the caller's environment names
    ///   them: path to the variable
    record MountRequest(List<MountText> extra, List<String> hide, Map<String, String> refused) {
        public static final MountRequest NONE = new MountRequest(List.of(), List.of(), Map.of());
    }

    /// One file or directory of the host.
    ///
    /// @param unsafe whether the person insists on it although it is refused
    record MountText(String path, boolean writable, boolean unsafe) {}

    /// What a sandbox may take of the machine; what is absent is as usual.
    ///
    /// @param milliCpus thousandths of a processor
    record ResourceRequest(
            Optional<Long> memoryBytes,
            Optional<Long> milliCpus,
            Optional<Long> processes,
            Optional<Long> fileBytes) {
        public static final ResourceRequest STANDARD =
                new ResourceRequest(
                        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /// As whom a sandbox is to run; what is absent is as usual.
    ///
    /// @param user `image`, `owner` or `UID[:GID]`
    /// @param runtimeClass a runtime that the container engine knows
    /// @param userns `private`: only in a user namespace of its own
    record HardeningRequest(
            Optional<String> user, Optional<String> runtimeClass, Optional<String> userns) {
        public static final HardeningRequest STANDARD =
                new HardeningRequest(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /// What a sandbox is to reach besides git.
    ///
    /// @param allow `HOST[:PORT]`, in addition to the policy file
    /// @param presets names of presets, likewise
    /// @param egress whether the policy file's `egress:`, and that of a trusted project file, holds
    ///   for it
    /// @param learn whether what no rule covers is let through and recorded; not an isolation
    /// @param implied names of presets that an agent needs; a person's own rules come before them
    /// @param tcp `HOST:PORT` each, for any protocol
    /// @param publish `[[ADDRESS:]PORT:]PORT` each: a port of the host, and one of the sandbox's
    record ReachRequest(
            List<String> allow,
            List<String> presets,
            boolean egress,
            boolean learn,
            List<String> implied,
            List<String> tcp,
            List<String> publish) {
        public ReachRequest(
                List<String> allow,
                List<String> presets,
                boolean egress,
                boolean learn,
                List<String> implied) {
            this(allow, presets, egress, learn, implied, List.of(), List.of());
        }

        public static final ReachRequest STANDARD =
                new ReachRequest(List.of(), List.of(), true, false, List.of());
    }

    /// `POST /v1/sandboxes/{name}/allow`, each as `allow` and `tcp` of [ReachRequest].
    ///
    /// @param ask whether each connection to the hosts waits until a person says yes
    record Allow(List<String> hosts, List<String> tcp, boolean ask) {}

    /// `POST /v1/sandboxes/{name}/ports`, each as `publish` of [ReachRequest].
    ///
    /// @param remove as they were published, or the port of the host alone
    record ChangePorts(List<String> publish, List<String> remove) {}

    /// `POST /v1/sandboxes/{name}/share`, of `host/owner/name`.
    record Share(String repo) {}

    /// Answer to [Share].
    ///
    /// @param directory where a sandbox whose workspace is a clone has the objects
    /// @param shared whether they are there
    record Shared(Optional<String> directory, boolean shared) {}

    /// A sandbox as people see it. Times are ISO 8601 in UTC.
    ///
    /// @param repos what it was granted; the first that covers a repository decides
    /// @param egress what it may reach besides git; the first that covers host and port decides
    /// @param resources its limits; what is absent cannot be limited on this runtime
    /// @param notices sentences about what a person should know now, such as a near end
    /// @param home directory on disk with its home; absent when that goes with the sandbox
    /// @param published `[ADDRESS:]PORT:PORT` each, the host's first
    /// @param gateway which one has it; absent where only one can
    record SandboxView(
            String name,
            String session,
            String runtime,
            String state,
            Optional<String> image,
            String workspace,
            List<GrantText> repos,
            List<EgressText> egress,
            boolean learn,
            String policyDigest,
            Optional<IdentityView> identity,
            UsageView usage,
            String created,
            String lastUsed,
            String expires,
            GitSettings git,
            boolean ephemeral,
            LifeView life,
            Optional<VerifiedView> verified,
            MountView mounts,
            ResourceRequest resources,
            List<String> notices,
            HardeningView hardening,
            Optional<String> home,
            List<String> published,
            Optional<FleetApi.GatewayView> gateway) {}

    /// How a session ends.
    ///
    /// @param idleEnd when it is not used before
    /// @param latestEnd no extension goes beyond
    record LifeView(
            String idleEnd,
            String absoluteEnd,
            String latestEnd,
            Optional<Long> requestsMax,
            Optional<Long> bytesMax,
            Optional<Long> pushesMax) {}

    /// Who said last that the sandbox is the one it was, and when.
    record VerifiedView(String by, String at) {}

    /// What a sandbox sees of the host's files besides its workspace.
    ///
    /// @param hidden files that look empty inside
    /// @param searched whether all mounted files were looked at for sockets
    record MountView(List<MountText> extra, List<String> hidden, boolean searched) {}

    /// As whom a sandbox runs.
    ///
    /// @param user what was asked for; `usual` when nothing was
    /// @param process who its first process is outside, while it runs
    /// @param ownUserNamespace whether its root is nobody's root outside, while it runs
    record HardeningView(
            String user,
            Optional<ProcessUserView> process,
            Optional<String> runtimeClass,
            Optional<Boolean> ownUserNamespace) {}

    /// Numbers as the host's kernel has them.
    record ProcessUserView(long uid, long gid) {}

    record IdentityView(String runtimeId, long pid, long startTicks, long netNamespaceInode) {}

    record UsageView(long requests, long bytesUp, long bytesDown, long pushes) {}

    /// All sandboxes.
    ///
    /// @param damaged those whose record cannot be read; they have no doors
    record SandboxList(List<SandboxView> sandboxes, List<DamagedView> damaged) {}

    /// A sandbox that can only be destroyed, by its name or its session.
    record DamagedView(String name, String session, String reason) {}

    /// `POST /v1/sandboxes/{name}/exec`
    record ExecCommand(
            List<String> command,
            boolean tty,
            Optional<String> directory,
            Map<String, String> environment) {}

    /// The host command that the caller runs to be inside; see `sandbox.ExecPlan`.
    ///
    /// @param notices as of [SandboxView]
    record ExecAnswer(
            List<String> argv,
            Map<String, String> environment,
            boolean enters,
            List<String> notices) {}

    /// `GET /v1/status`
    ///
    /// @param runtimes runtime label to `ready`, or to the sentence that says what is missing
    /// @param notices why the policy file on disk is not in force, or not wholly
    /// @param troubles what the daemon cannot do: tell somebody what it should, read its store,
    ///   write its record; and what to do about it
    record Status(
            String version,
            String home,
            long wardenPid,
            long gatewayPid,
            int gatewayRestarts,
            int sandboxes,
            Map<String, String> runtimes,
            List<String> notices,
            List<String> troubles) {}

    /// `POST /v1/policy/apply`
    ///
    /// @param running whether sandboxes that are there also get what the rules allow them beyond
    ///   what they have
    /// @param dryRun whether to say what would change, and change nothing
    record ApplyPolicy(boolean running, boolean dryRun) {}

    /// Answer to [ApplyPolicy]: what holds now, or would.
    ///
    /// @param digest SHA-256 of the file, or `absent`
    /// @param changed whether other rules were in force before
    /// @param waiting parts of the file that hold from the next start of the daemon on
    record PolicyApplied(
            String digest,
            boolean changed,
            List<String> warnings,
            List<String> waiting,
            List<RightsChange> sandboxes) {}

    /// What became of a sandbox's rights, one line for each rule.
    ///
    /// @param available what it would get with `running`
    record RightsChange(
            String name,
            List<String> lost,
            List<String> gained,
            List<String> available,
            List<String> notices) {}

    /// `POST /v1/shutdown`. All sandboxes are stopped first and ephemeral ones removed, unless they
    /// are to be kept running, cut off, for the next warden.
    record Shutdown(boolean keepSandboxes) {}

    /// The daemon is about to end.
    ///
    /// @param unrecorded why the audit log does not say so, if it cannot be written
    record Ending(Optional<String> unrecorded) {}

    /// `GET /v1/audit`
    ///
    /// @param since not older than this time, in ISO 8601
    /// @param until older than this
    /// @param last how many lines at most
    record AuditRequest(
            Optional<String> session,
            Optional<String> sandbox,
            Optional<String> decision,
            Optional<String> id,
            Optional<String> target,
            Optional<String> since,
            Optional<String> until,
            int last) {
        public AuditRequest {
            if (last < 1) {
                throw new IllegalArgumentException("there is nothing to show");
            }
        }
    }

    /// Answer to [AuditRequest]: the newest lines, oldest first.
    ///
    /// @param more whether older ones were left out
    record AuditLines(List<AuditView> lines, boolean more) {}

    /// One line of the record.
    record AuditView(
            long seq,
            String time,
            String kind,
            String session,
            String sandbox,
            String runtime,
            String policy,
            String decision,
            Map<String, String> detail,
            String prev,
            String hash) {}

    /// `POST /v1/trusted`
    ///
    /// @param sha256 of the bytes that are trusted; absent to trust the file no longer
    record Trust(String file, Optional<String> sha256) {}

    /// `POST /v1/page`: opens the page, unless it is open, and asks for a link to it.
    ///
    /// @param port of 127.0.0.1; absent for one that is free
    record OpenPage(Optional<Integer> port) {}

    /// Answer to [OpenPage].
    ///
    /// @param url works once, for the account that asked
    /// @param expires when it works no more, in ISO 8601
    record PageLink(String url, String expires) {}

    /// Every answer that is not 2xx.
    ///
    /// @param code stable word for programs
    /// @param message what is wrong
    /// @param remedy what to do
    record Problem(String code, String message, String remedy) {}

    /// Answer of operations that have nothing to say.
    record Done() {}
}
