package dev.sallyport.git;

import dev.sallyport.mirror.Mirror;
import dev.sallyport.mirror.MirrorException;
import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import dev.sallyport.session.LiveSession;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// Shares what a copy has with one sandbox, if upstream shows its refs to this session now. A
/// session that sees only some of them shares nothing: it is told of objects one by one.
record Lending(
        CopyFetches copies, GitAudit audit, LiveSession session, RepoName repo, Progress progress) {
    private static final System.Logger LOG = System.getLogger(Lending.class.getName());

    CompletableFuture<Boolean> into(Path directory) {
        return switch (session.policy().decide(repo, GitService.UPLOAD_PACK)) {
            case Decision.Allow(GitPermit permit) -> may(permit) ? start(permit, directory) : no();
            case Decision.Deny(Refusal reason) -> {
                var _ = audit.shared(session.id(), repo, Optional.of(reason));
                yield no();
            }
        };
    }

    private static boolean may(GitPermit permit) {
        return permit.visible().isAll() && permit.mirror() != MirrorUse.OFF;
    }

    private static CompletableFuture<Boolean> no() {
        return CompletableFuture.completedFuture(false);
    }

    private CompletableFuture<Boolean> start(GitPermit permit, Path directory) {
        var shared = new CompletableFuture<Boolean>();
        Runnable work = () -> shared.complete(share(permit, directory));
        return copies.submit(session.id(), work).isPresent() ? shared : no();
    }

    /// On a worker's thread.
    private boolean share(GitPermit permit, Path directory) {
        try (Mirror copy = copies.refresh(session, permit, progress)) {
            copy.share(directory, this::record);
            return true;
        } catch (MirrorException | IOException e) {
            LOG.log(System.Logger.Level.INFO, "objects are not shared: {0}", e.getMessage());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "objects are not shared", e);
        }
        return false;
    }

    private void record() throws IOException, InterruptedException {
        try {
            audit.shared(session.id(), repo, Optional.empty()).get();
        } catch (ExecutionException e) {
            throw new IOException("it was not recorded", e);
        }
    }
}
