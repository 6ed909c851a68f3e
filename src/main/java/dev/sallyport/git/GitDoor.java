package dev.sallyport.git;

import dev.sallyport.audit.Recorder;
import dev.sallyport.config.Limits;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Proposals;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.PieceQueue;
import dev.sallyport.relay.Stage;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.Client;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Serves `/git/<host>/<owner>/<repo>.git/`: the four requests of smart HTTP, and through
/// [LargeFiles] those of Git LFS.
///
/// The path of each: route, decision, record, and only then whatever has an effect.
public final class GitDoor implements Door, Lender {
    private final Limits.Git limits;
    private final GitAudit audit;
    private final Surroundings surroundings;
    private final PushJudging judging;
    private final LargeFiles largeFiles;

    public GitDoor(
            Limits.Git limits,
            Client upstream,
            Recorder recorder,
            UsageMeter usage,
            PushJudging judging,
            LargeFiles largeFiles,
            Proposals proposals) {
        this.limits = limits;
        this.audit = new GitAudit(recorder);
        this.judging = judging;
        this.largeFiles = largeFiles;
        this.surroundings = new Surroundings(upstream, audit, usage, proposals);
    }

    @Override
    public CompletableFuture<Boolean> lend(
            LiveSession session, RepoName repo, Path directory, Progress progress) {
        return new Lending(judging.copies(), audit, session, repo, progress).into(directory);
    }

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        Ask ask = Ask.of(session, head, responder);
        GitRoute route = GitRoute.parse(head.method(), head.path(), head.query());
        if (route instanceof GitRoute.Lfs(RepoName repo, String path)) {
            return largeFiles.open(ask, repo, path);
        }
        Decision<GitPermit> decision = decide(session.policy(), route, head);
        return switch (decision) {
            case Decision.Allow(GitPermit permit) ->
                    ask.serve(
                            stage(ask, route, permit), audit.request(ask, route, Optional.empty()));
            case Decision.Deny(Refusal reason) ->
                    ask.refuse(reason, audit.request(ask, route, Optional.of(reason)));
        };
    }

    /// The policy is asked first, so that what the form of a request is judged by cannot tell a
    /// repository that exists from one that does not.
    private Decision<GitPermit> decide(Policy policy, GitRoute route, RequestHead head) {
        return switch (route) {
            case GitRoute.None(Refusal reason) -> new Decision.Deny<>(reason);
            case GitRoute.Advertise(var repo, var service) -> policy.decide(repo, service);
            case GitRoute.Lfs _ -> throw new IllegalStateException("has a door of its own");
            case GitRoute.Call(var repo, var service) ->
                    switch (policy.decide(repo, service)) {
                        case Decision.Allow<GitPermit> allow ->
                                CallForm.objection(head, allow.permit(), limits)
                                        .<Decision<GitPermit>>map(Decision.Deny::new)
                                        .orElse(allow);
                        case Decision.Deny<GitPermit> deny -> deny;
                    };
        };
    }

    private Stage stage(Ask ask, GitRoute route, GitPermit permit) {
        boolean push = permit.service() == GitService.RECEIVE_PACK;
        return switch (route) {
            case GitRoute.Advertise _ -> advertise(ask, permit, push);
            case GitRoute.Call _ ->
                    push
                            ? new PushIntake(surroundings, judging, limits, ask, permit)
                            : fetch(ask, permit);
            case GitRoute.Lfs _, GitRoute.None _ -> throw new IllegalStateException("was denied");
        };
    }

    private Stage advertise(Ask ask, GitPermit permit, boolean push) {
        return surroundings.relay(
                ask,
                GitWire.advertise(permit, version(ask, permit)),
                new PieceQueue(0),
                push || !permit.visible().isAll()
                        ? new Advertisement(
                                permit.service(), permit.visible(), PushOptions.areOffered(permit))
                        : new AnswerFilter.Unchanged(),
                new GitOutlet(audit, ask, GitWire.advertisementType(permit.service())));
    }

    private Stage fetch(Ask ask, GitPermit permit) {
        BodySource source = CallForm.source(ask.head(), permit, limits);
        if (!permit.visible().isAll() || permit.mirror() != MirrorUse.OFF) {
            return new FetchIntake(
                    surroundings,
                    judging,
                    ask,
                    permit,
                    source,
                    version(ask, permit),
                    () -> fetched(ask, permit));
        }
        return surroundings.relay(
                ask,
                GitWire.call(
                        permit,
                        CallForm.isGzip(ask.head())
                                ? new BodyFraming.Chunked()
                                : ask.head().framing(),
                        version(ask, permit)),
                source,
                fetched(ask, permit),
                new GitOutlet(audit, ask, GitWire.resultType(permit.service())));
    }

    private static AnswerFilter fetched(Ask ask, GitPermit permit) {
        boolean current = version(ask, permit).filter("version=2"::equals).isPresent();
        return current && !ask.session().notices().isEmpty()
                ? new FetchNotice(ask.session().notices())
                : new AnswerFilter.Unchanged();
    }

    /// A session that sees only some refs is answered in version 0, whose every line is checked;
    /// git takes the answer in that version, whatever it asked for.
    private static Optional<String> version(Ask ask, GitPermit permit) {
        if (!permit.visible().isAll() && permit.service() == GitService.UPLOAD_PACK) {
            return Optional.empty();
        }
        return GitWire.version(ask.head().field("git-protocol"), permit.service());
    }
}
