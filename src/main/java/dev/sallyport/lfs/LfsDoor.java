package dev.sallyport.lfs;

import dev.sallyport.audit.Recorder;
import dev.sallyport.git.LargeFiles;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.SessionId;
import dev.sallyport.push.SecretFinder;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.session.UsageMeter;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Failure;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Serves the LFS API of a repository: batches, transfers, and locks that can be read (ADR 25).
public final class LfsDoor implements LargeFiles, AutoCloseable {
    private final LfsShared shared;

    /// @param work a directory of this process alone, for what is being scanned
    public LfsDoor(
            Client upstream, Recorder recorder, UsageMeter usage, Path work, SecretFinder secrets) {
        this.shared = new LfsShared(upstream, recorder, usage, work, secrets);
    }

    /// The policy is asked first, so that no form of a request tells a repository that exists from
    /// one that does not.
    @Override
    public RequestHandler open(Ask ask, RepoName repo, String path) {
        LfsRoute route = LfsRoute.parse(ask.head().method(), path, ask.head().query());
        return switch (decide(ask.session().policy(), repo, route)) {
            case Decision.Allow<GitPermit>(GitPermit permit) -> serve(ask, path, route, permit);
            case Decision.Deny<GitPermit>(Refusal reason) -> refuse(ask, repo, path, reason);
        };
    }

    private static Decision<GitPermit> decide(Policy policy, RepoName repo, LfsRoute route) {
        Decision<GitPermit> read = policy.decideLfs(repo, GitService.UPLOAD_PACK);
        if (read instanceof Decision.Deny<GitPermit>) {
            return read;
        }
        return switch (route) {
            case LfsRoute.Batch _, LfsRoute.Locks _ -> read;
            case LfsRoute.None(Refusal reason) -> new Decision.Deny<>(reason);
            case LfsRoute.Transfer(Action.Verb verb, _) ->
                    switch (verb) {
                        case DOWNLOAD -> read;
                        case UPLOAD, VERIFY -> upload(policy, repo);
                    };
        };
    }

    /// Whoever may read may know that writing is what is missing.
    private static Decision<GitPermit> upload(Policy policy, RepoName repo) {
        Decision<GitPermit> write = policy.decideLfs(repo, GitService.RECEIVE_PACK);
        return write instanceof Decision.Deny<GitPermit>
                ? new Decision.Deny<>(Refusal.LFS_NOT_ALLOWED)
                : write;
    }

    private RequestHandler serve(Ask ask, String path, LfsRoute route, GitPermit permit) {
        LfsCase matter = new LfsCase(ask, permit, shared);
        return switch (route) {
            case LfsRoute.Batch _ -> BatchExchange.open(ask, permit, shared);
            case LfsRoute.Locks(boolean verify) ->
                    SmallExchange.open(matter, new LocksExchange(matter, verify));
            case LfsRoute.Transfer(Action.Verb verb, Oid oid) -> {
                Optional<Action> action = shared.actions().find(permit, verb, oid);
                yield action.isPresent()
                        ? transfer(matter, verb, action.get())
                        : refuse(ask, permit.repo(), path, Refusal.LFS_ACTION_GONE);
            }
            case LfsRoute.None _ -> throw new IllegalStateException("was denied");
        };
    }

    private static RequestHandler transfer(LfsCase matter, Action.Verb verb, Action action) {
        return switch (verb) {
            case DOWNLOAD -> Download.open(matter, action);
            case UPLOAD -> Upload.open(matter, action);
            case VERIFY -> SmallExchange.open(matter, new VerifyExchange(matter, action));
        };
    }

    private RequestHandler refuse(Ask ask, RepoName repo, String path, Refusal reason) {
        ask.responder().pauseBody();
        Recorder.then(
                shared.audit().request(ask, repo, path, Optional.of(reason)),
                ask.responder().loop(),
                unrecorded -> {
                    Refusal told = unrecorded.orElse(reason);
                    if (told == Refusal.REPO_UNAVAILABLE) {
                        LfsAnswer.refuse(ask, told);
                    } else {
                        LfsAnswer.refuse(ask, repo, Failure.of(told));
                    }
                });
        return new IgnoredBody();
    }

    /// Forgets a session that has ended.
    public void end(SessionId session) {
        shared.actions().end(session);
    }

    @Override
    public void close() {
        shared.close();
    }

    /// Tells the git host that an object was uploaded, where it asked for that. Of its answer only
    /// that it is content is passed on.
    private record VerifyExchange(LfsCase matter, Action action) implements SmallExchange.Kind {
        private static final int BYTES_MAX = 4 << 10;

        @Override
        public int bytesMax() {
            return BYTES_MAX;
        }

        @Override
        public SmallExchange.Question judge(byte[] body) throws RefusedException {
            boolean same =
                    LfsJson.JSON
                            .read(body)
                            .flatMap(LfsObject::parse)
                            .filter(action.object()::equals)
                            .isPresent();
            if (!same) {
                throw new RefusedException(Refusal.MALFORMED_BODY, "another object");
            }
            byte[] question = LfsJson.JSON.bytes(action.object().write(LfsJson.JSON.object()));
            Map<String, String> fields =
                    Map.of("content-type", LfsJson.TYPE, "accept", LfsJson.TYPE);
            return new SmallExchange.Question(
                    matter.order("POST", action, fields, question.length), question);
        }

        @Override
        public CompletableFuture<Void> record(Optional<Refusal> reason) {
            return matter.record(Action.Verb.VERIFY, action, reason);
        }

        @Override
        public void answered(AnswerHead head, byte[] body) {
            if (head.status() >= 200 && head.status() < 300) {
                LfsAnswer.write(matter.ask(), 200, LfsJson.JSON.object());
            } else {
                matter.fail(LfsCase.storeFailure(head), action.object().oid().hex());
            }
        }
    }

    /// Which request of the LFS API is meant.
    private sealed interface LfsRoute {
        /// `POST objects/batch`
        record Batch() implements LfsRoute {}

        /// `GET`, `PUT` or `POST` of an object, at the place that the answer to a batch named.
        record Transfer(Action.Verb verb, Oid oid) implements LfsRoute {}

        /// `GET locks` or `POST locks/verify`
        record Locks(boolean verify) implements LfsRoute {}

        /// None of these, or one that is never served.
        record None(Refusal reason) implements LfsRoute {}

        Pattern OBJECT = Pattern.compile("objects/([0-9a-f]{64})(/verify)?");
        Pattern UNLOCK = Pattern.compile("locks/[A-Za-z0-9._-]+/unlock");

        /// None of another spelling.
        ///
        /// @param path what follows `info/lfs/`
        static LfsRoute parse(String method, String path, String query) {
            if (path.equals("locks") && method.equals("GET")) {
                return new Locks(false);
            }
            if (!query.isEmpty()) {
                return new None(Refusal.NO_SUCH_ENDPOINT);
            }
            return switch (path) {
                case "objects/batch" -> post(method, new Batch());
                case "locks/verify" -> post(method, new Locks(true));
                case "locks" -> post(method, new None(Refusal.LFS_LOCKS_READ_ONLY));
                default ->
                        UNLOCK.matcher(path).matches()
                                ? post(method, new None(Refusal.LFS_LOCKS_READ_ONLY))
                                : transfer(method, path);
            };
        }

        private static LfsRoute post(String method, LfsRoute route) {
            return method.equals("POST") ? route : new None(Refusal.METHOD_NOT_ALLOWED);
        }

        private static LfsRoute transfer(String method, String path) {
            Matcher object = OBJECT.matcher(path);
            if (!object.matches()) {
                return new None(Refusal.NO_SUCH_ENDPOINT);
            }
            Optional<Action.Verb> verb =
                    switch (method) {
                        case "GET" -> Optional.of(Action.Verb.DOWNLOAD);
                        case "PUT" -> Optional.of(Action.Verb.UPLOAD);
                        case "POST" -> Optional.of(Action.Verb.VERIFY);
                        default -> Optional.empty();
                    };
            boolean fits =
                    verb.isPresent()
                            && (verb.get() == Action.Verb.VERIFY) == (object.group(2) != null);
            return fits
                    ? new Transfer(verb.get(), new Oid(object.group(1)))
                    : new None(Refusal.METHOD_NOT_ALLOWED);
        }
    }
}
