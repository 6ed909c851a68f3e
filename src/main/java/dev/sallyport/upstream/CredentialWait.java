package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.Renewer.NotRenewedException;
import dev.sallyport.policy.Refusal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Lets a call go on when its credential is there.
///
/// @param loop the call's event loop
/// @param otherwise why it is missing when nobody says so
record CredentialWait(Executor loop, int secondsMax, Refusal otherwise) {
    /// For a request whose body is gone: only the sandbox has it to send again.
    static CompletableFuture<CredentialBook> inVain(CompletableFuture<CredentialBook> book) {
        return book.thenCompose(
                _ ->
                        CompletableFuture.failedFuture(
                                new NotRenewedException(Refusal.LOGIN_RENEWED)));
    }

    /// At once when there is nothing to wait for.
    void until(
            CompletableFuture<CredentialBook> book,
            Consumer<CredentialBook> there,
            Consumer<Failure> missing) {
        if (book.isDone()) {
            tell(book, there, missing);
        } else {
            var _ =
                    book.orTimeout(secondsMax, TimeUnit.SECONDS)
                            .whenComplete((_, _) -> loop.execute(() -> tell(book, there, missing)));
        }
    }

    private void tell(
            CompletableFuture<CredentialBook> book,
            Consumer<CredentialBook> there,
            Consumer<Failure> missing) {
        if (!book.isCompletedExceptionally()) {
            there.accept(book.join());
        } else {
            missing.accept(Failure.of(NotRenewedException.reason(book.exceptionNow(), otherwise)));
        }
    }
}
