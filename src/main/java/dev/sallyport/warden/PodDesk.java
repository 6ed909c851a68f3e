package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.cluster.PodReview;
import dev.sallyport.control.HostApi;
import dev.sallyport.fleet.FleetRefusal;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.Hosts;
import dev.sallyport.fleet.Pod;
import dev.sallyport.fleet.PodEnrolment;
import dev.sallyport.fleet.Pods;
import dev.sallyport.fleet.RefusedException;
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import io.github.bucket4j.Bucket;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// What is special about hosts that are pods of a cluster (ADR 40): the cluster says who they are,
/// each has one session, and with that it goes.
final class PodDesk {
    private final FleetFiles.Source files;
    private final Ledger ledger;
    private final Optional<PodReview> reviews;

    /// As many as the gateway process lets through, if it is ours; each is a question to the API.
    private final Bucket enrolments =
            Bucket.builder()
                    .addLimit(limit -> limit.capacity(64).refillGreedy(8, Duration.ofSeconds(1)))
                    .build();

    /// @param reviews empty where no pods may come
    PodDesk(FleetFiles.Source files, Ledger ledger, Optional<PodReview> reviews) {
        this.files = files;
        this.ledger = ledger;
        this.reviews = reviews;
    }

    HostApi.Enrolled enrol(String text) throws IOException, RefusedException, OperationException {
        if (reviews.isEmpty()) {
            throw new RefusedException(FleetRefusal.NO_PODS);
        }
        PodEnrolment line = PodEnrolment.parse(text);
        if (!enrolments.tryConsume(1)) {
            throw FleetDesk.busy();
        }
        Pod pod = reviews.get().pod(line);
        ledger.record("fleet.enrol", detail(pod));
        Hosts.Enrolled host = files.get().pods().enrol(line, pod);
        Map<String, String> enrolled = new HashMap<>(detail(pod));
        enrolled.put("host", host.name());
        enrolled.put("id", host.id().value());
        ledger.note(new AuditEvent("fleet.enrolled", "", "allow", enrolled));
        return new HostApi.Enrolled(host.id().value(), host.name());
    }

    private static Map<String, String> detail(Pod pod) {
        return Map.of(
                "namespace", pod.namespace(),
                "account", pod.account(),
                "pod", pod.name(),
                "uid", pod.uid());
    }

    int sessionsMax(HostId host) throws IOException {
        return isPod(host) ? Pods.SESSIONS_MAX : SessionBadges.SESSIONS_PER_HOST_MAX;
    }

    /// By its name, which no machine can have: what else is known of it may be unreadable here.
    private boolean isPod(HostId host) throws IOException {
        return files.get().hosts().find(host).stream().anyMatch(h -> Pod.isHostName(h.name()));
    }

    /// No sidecar of a pod asks which login is stored: one that does is not what it should be.
    void requireNoPodForLogin(HostId host) throws IOException, RefusedException {
        if (isPod(host)) {
            throw new RefusedException(FleetRefusal.POD_LOGIN);
        }
    }

    /// The session that a pod has already.
    Optional<SessionId> present(HostId host) throws IOException {
        return isPod(host)
                ? files.get().badges().sessions(host).stream().findFirst()
                : Optional.empty();
    }

    /// The session of a pod that asks for it once more, because an answer was lost or its sidecar
    /// was started again. It gets no other rights than it has.
    Session again(Session present, String host, HostApi.Open request)
            throws RefusedException, OperationException {
        if (!present.name().equals(SandboxNames.ofHost(host, request.name()))) {
            throw new RefusedException(FleetRefusal.SECOND_SESSION);
        }
        if (present.state() == Session.State.ENDED) {
            throw new RefusedException(FleetRefusal.POD_OVER);
        }
        return present;
    }

    /// Pods of which nothing was heard for long go, with what they had. They may come back.
    static void leave(FleetFiles all, Consumer<List<SessionId>> end) throws IOException {
        for (HostId host : all.pods().silent()) {
            List<SessionId> own = all.badges().sessions(host);
            if (all.pods().forget(host)) {
                end.accept(own);
            }
        }
    }

    /// A session is over, and with it the host, if it was a pod. One that never had a certificate
    /// may try again, unless it was ended on purpose: then it counts as one that had.
    static void end(FleetFiles all, SessionId session) throws IOException {
        all.pods().end(session, all.badges().wasCertified(session));
    }
}
