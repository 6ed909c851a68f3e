package dev.sallyport.git;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// What the git door writes down. Each decision is recorded before it has an effect; when it cannot
/// be, the request is refused.
final class GitAudit {
    /// Each command takes up to five details of an event, which has room for 32.
    private static final int COMMANDS_PER_EVENT = 5;

    /// What is written of a push that is denied because it has thousands.
    private static final int DENIED_COMMANDS_MAX = 65;

    private final Recorder recorder;

    GitAudit(Recorder recorder) {
        this.recorder = recorder;
    }

    CompletableFuture<Void> request(Ask ask, GitRoute route, Optional<Refusal> refusal) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", ask.id());
        switch (route) {
            case GitRoute.Advertise(var repo, var service) ->
                    put(detail, repo.key(), service.wireName(), "advertise");
            case GitRoute.Call(var repo, var service) ->
                    put(detail, repo.key(), service.wireName(), "call");
            case GitRoute.Lfs _, GitRoute.None _ -> detail.put("path", ask.head().path());
        }
        refusal.ifPresent(reason -> detail.put("reason", reason.code()));
        String decision = refusal.isPresent() ? "deny" : "allow";
        AuditEvent event = ask.event("git.request", decision, detail);
        return refusal.isEmpty() && fetches(route)
                ? recorder.recordRead(event)
                : recorder.record(event);
    }

    private static boolean fetches(GitRoute route) {
        return switch (route) {
            case GitRoute.Advertise(var _, var service) -> service == GitService.UPLOAD_PACK;
            case GitRoute.Call(var _, var service) -> service == GitService.UPLOAD_PACK;
            case GitRoute.Lfs _, GitRoute.None _ -> false;
        };
    }

    private static void put(Map<String, String> detail, String repo, String service, String phase) {
        detail.put("repo", repo);
        detail.put("service", service);
        detail.put("phase", phase);
    }

    /// One event for every few commands, since an event is bounded; all of them are recorded before
    /// any command has an effect.
    ///
    /// @param facts of options that go upstream with them ([PushOptions#facts]), and of an approval
    CompletableFuture<Void> push(
            Ask ask, GitPermit permit, List<JudgedUpdate> updates, Map<String, String> facts) {
        boolean allowed = updates.stream().allMatch(update -> update.objections().isEmpty());
        int told = allowed ? updates.size() : Math.min(updates.size(), DENIED_COMMANDS_MAX);
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (int from = 0; from < told; from += COMMANDS_PER_EVENT) {
            int to = Math.min(from + COMMANDS_PER_EVENT, told);
            Map<String, String> detail = new TreeMap<>(facts);
            detail.put("id", ask.id());
            detail.put("repo", permit.repo().key());
            detail.put("commands", String.valueOf(updates.size()));
            for (int i = from; i < to; i++) {
                describe(detail, i + 1, updates.get(i));
            }
            String decision = allowed ? "allow" : "deny";
            parts.add(recorder.record(ask.event("git.push", decision, detail)));
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }

    private static void describe(Map<String, String> detail, int number, JudgedUpdate judged) {
        RefUpdate update = judged.update();
        detail.put("ref-" + number, update.ref().value());
        detail.put("old-" + number, update.before().hex());
        detail.put("new-" + number, update.after().hex());
        judged.first()
                .ifPresent(
                        objection -> {
                            detail.put("reason-" + number, objection.reason().code());
                            if (!objection.detail().isEmpty()) {
                                detail.put("detail-" + number, objection.detail());
                            }
                        });
    }

    /// A fetch is about to be answered from the local copy, because upstream showed this session
    /// its refs just now.
    CompletableFuture<Void> copied(Ask ask, GitPermit permit, int wants) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", ask.id());
        detail.put("repo", permit.repo().key());
        detail.put("wants", String.valueOf(wants));
        return recorder.record(ask.event("git.copy", "allow", detail));
    }

    /// A sandbox is about to read the objects of a copy as files, for the same reason; or is not.
    CompletableFuture<Void> shared(SessionId session, RepoName repo, Optional<Refusal> refusal) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("repo", repo.key());
        refusal.ifPresent(reason -> detail.put("reason", reason.code()));
        String decision = refusal.isPresent() ? "deny" : "allow";
        return recorder.record(new AuditEvent("git.share", session.value(), decision, detail));
    }

    /// What upstream says became of a push. Nothing waits for it: it has happened.
    ///
    /// @param packBytes how many were sent
    void outcome(Ask ask, GitPermit permit, UpstreamReport report, long packBytes) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", ask.id());
        detail.put("repo", permit.repo().key());
        detail.put("bytes-up", Long.toString(packBytes));
        detail.put("taken", String.valueOf(report.taken()));
        detail.put("refused", String.valueOf(report.refused()));
        var _ = recorder.record(ask.event("git.push-result", "", detail));
    }

    /// Nothing waits for it: the refusal happens either way.
    void failed(Ask ask, Failure failure) {
        var _ = recorder.record(ask.failure("git.failed", failure, ""));
    }

    void failed(Ask ask, Refusal reason) {
        failed(ask, Failure.of(reason));
    }
}
