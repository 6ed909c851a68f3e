package dev.sallyport.push;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/// Judges pushes, each as a whole: nothing goes upstream unless all of it may.
///
/// In this order, and a step that objects is the last: every ref is where the push says it is
/// ([RefUpdate]); the pack has a sane form ([PackReading]) and holds sane objects ([ObjectIntake]),
/// none of them other than upstream's of the same id; it holds what the refs need and no more
/// ([PackReach]); the refs may move so ([RefJudge]); every commit that is new to upstream may be
/// there ([CommitJudge]).
public final class Judge {
    private final Limits.Push limits;
    private final SecretFinder secrets;
    private final WorkShare share = WorkShare.ofMachine();

    public Judge(Limits.Push limits, SecretFinder secrets) {
        this.limits = limits;
        this.secrets = secrets;
    }

    /// Begins to read a pack that may still be arriving. Whoever begins closes it.
    public PackReading reading(PushRules rules, Path pack) throws IOException {
        boolean scanned = rules.content().secrets() != SecretScan.OFF;
        return new PackReading(
                pack, limits, rules.content().fileBytesMax(), scanned ? secrets : null, share);
    }

    /// Judges a push of which nothing has been read yet.
    public Verdict judge(PushCase push, Slice slice)
            throws MirrorTroubleException, InterruptedException, Slice.OverException {
        return judge(push, null, slice);
    }

    /// Blocks as long as it takes, which is limited. Whatever a sandbox can cause is a verdict.
    /// After [Verdict.Accepted] the quarantine holds the pack and its index in `objects/pack`,
    /// unless the pack was empty.
    ///
    /// @param early a reading of the pack that was begun while it arrived
    /// @throws MirrorTroubleException when the copy of upstream is at fault
    /// @throws InterruptedException when the thread was interrupted, before or meanwhile
    /// @throws Slice.OverException when others got its place
    public Verdict judge(PushCase push, @Nullable PackReading early, Slice slice)
            throws MirrorTroubleException, InterruptedException, Slice.OverException {
        if (push.updates().isEmpty()) {
            throw new IllegalArgumentException("a push changes something");
        }
        Deadline deadline =
                early == null
                        ? Deadline.in(Duration.ofSeconds(limits.judgementSecondsMax()), slice)
                        : early.deadline(slice);
        try {
            return judge(push, early, deadline);
        } catch (PushRefusedException e) {
            deadline.failIfStopped();
            return refuse(push, e.reason(), e.detail());
        } catch (MirrorTroubleException e) {
            deadline.failIfStopped();
            throw e;
        } catch (IOException | RuntimeException e) {
            deadline.failIfStopped();
            return deadline.hasPassed()
                    ? refuse(push, Refusal.JUDGEMENT_TIMEOUT, "judging took longer than allowed")
                    : refuse(push, Refusal.MALFORMED_PACK, "an object cannot be read");
        }
    }

    private Verdict judge(PushCase push, @Nullable PackReading early, Deadline deadline)
            throws IOException {
        Objections objections = new Objections();
        judgeOldIds(push, objections);
        if (!objections.isEmpty()) {
            return objections.refusal();
        }
        boolean onlyDeletes = push.updates().stream().allMatch(RefUpdate::isDelete);
        if (onlyDeletes != push.pack().isEmpty()) {
            String detail = onlyDeletes ? "deleting takes no pack" : "there is no pack";
            return refuse(push, Refusal.MALFORMED_PACK, detail);
        }
        if (onlyDeletes) {
            return new Verdict.Accepted(List.of());
        }
        if (early != null) {
            return judgePack(push, early, deadline, objections);
        }
        try (PackReading reading = reading(push.rules(), push.pack().orElseThrow())) {
            return judgePack(push, reading, deadline, objections);
        }
    }

    private Verdict judgePack(
            PushCase push, PackReading reading, Deadline deadline, Objections objections)
            throws IOException {
        Quarantine quarantine = new Quarantine(push);
        PackContents pack = quarantine.take(push.pack().orElseThrow(), reading, deadline);
        try (UpstreamObjects mirror = new UpstreamObjects(push.mirrorObjects(), shallow(push));
                ObjectSource objects = new ObjectSource(quarantine, pack, mirror);
                RefJudge refs = new RefJudge(push, objects, deadline, objections)) {
            objects.requireNoCollision(deadline);
            return refs.judge(secrets, reading.largestBytes());
        }
    }

    private static Set<ObjectId> shallow(PushCase push) {
        return push.shallow().stream().map(Tip::idOf).collect(Collectors.toSet());
    }

    /// Upstream compares and swaps by the same ids, so whoever is wrong about them is told here.
    private static void judgeOldIds(PushCase push, Objections objections) {
        Set<RefName> seen = new HashSet<>();
        for (RefUpdate update : push.updates()) {
            ObjectName now = push.upstream().getOrDefault(update.ref(), ObjectName.ZERO);
            if (!seen.add(update.ref())) {
                objections.add(update.ref(), Refusal.MALFORMED_PUSH, "the ref is listed twice");
            } else if (!update.before().equals(now)) {
                objections.add(update.ref(), Refusal.STALE_REF, "upstream has it at " + now);
            }
        }
    }

    private static Verdict refuse(PushCase push, Refusal reason, String detail) {
        Objections objections = new Objections();
        boolean onlyDeletes = push.updates().stream().allMatch(RefUpdate::isDelete);
        for (RefUpdate update : push.updates()) {
            if (onlyDeletes || !update.isDelete()) {
                objections.add(update.ref(), reason, detail);
            }
        }
        return objections.refusal();
    }
}
