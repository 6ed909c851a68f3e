package dev.sallyport.warden;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.FullDisk;
import dev.sallyport.control.Api;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreAwayException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A control operation is refused or failed. The message is for the person: what is wrong and what
/// to do.
final class OperationException extends Exception {
    private static final long serialVersionUID = 1L;

    /// Whose fault it is, and how that is said in HTTP.
    enum Fault {
        INVALID(400),
        FORBIDDEN(403),
        NOT_FOUND(404),
        METHOD_NOT_ALLOWED(405),
        CONFLICT(409),
        /// Another gateway has the session.
        ELSEWHERE(421),
        DISK_FULL(507),
        FAILED(500),
        UNAVAILABLE(503);

        private final int status;

        Fault(int status) {
            this.status = status;
        }

        int status() {
            return status;
        }

        String code() {
            return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        }
    }

    private final Fault fault;
    private final String remedy;

    OperationException(Fault fault, String message, String remedy) {
        this(fault, message, remedy, null);
    }

    OperationException(Fault fault, String message, String remedy, @Nullable Throwable cause) {
        super(message, cause);
        this.fault = fault;
        this.remedy = remedy;
    }

    static OperationException invalid(String message, String remedy) {
        return new OperationException(Fault.INVALID, message, remedy);
    }

    static OperationException conflict(String message, String remedy) {
        return new OperationException(Fault.CONFLICT, message, remedy);
    }

    /// A refusal of a part below, which says in its last sentence what to do.
    static OperationException refused(SandboxException cause) {
        return new OperationException(Fault.INVALID, cause.problem(), cause.remedy(), cause);
    }

    /// What is wrong with what a person wrote is theirs to mend; all else has failed.
    static OperationException refused(IOException cause) {
        return cause instanceof ConfigException config
                ? invalid(config.problem(), config.remedy())
                : failed(cause);
    }

    static OperationException notFound(String message, String remedy) {
        return new OperationException(Fault.NOT_FOUND, message, remedy);
    }

    static OperationException unavailable(String message, String remedy) {
        return new OperationException(Fault.UNAVAILABLE, message, remedy);
    }

    static OperationException failed(Throwable cause) {
        if (cause instanceof OperationException refusal) {
            return refusal;
        }
        if (cause instanceof SessionStore.DamagedException damaged) {
            return DamagedSessions.refused(damaged);
        }
        if (FullDisk.isCauseOf(cause)) {
            return new OperationException(
                    Fault.DISK_FULL, FullDisk.sentence(cause), FullDisk.REMEDY, cause);
        }
        if (cause instanceof SessionStore.TakenException taken) {
            return Elsewhere.taken(taken.name());
        }
        if (cause instanceof StoreAwayException) {
            return new OperationException(
                    Fault.UNAVAILABLE,
                    String.valueOf(cause.getMessage()),
                    StoreAwayException.REMEDY,
                    cause);
        }
        return new OperationException(
                Fault.FAILED,
                String.valueOf(cause.getMessage()),
                "See the daemon's log: run/warden.log in SALLYPORT_HOME.",
                cause);
    }

    /// What a step needs of files, the store or a runtime.
    interface Question<T> {
        T ask() throws IOException, SandboxException, OperationException;
    }

    /// The same for a step that answers nothing.
    interface Action {
        void run() throws IOException, SandboxException, OperationException;
    }

    /// Asks; what goes wrong is [#failed].
    static <T> T asking(Question<T> question) throws OperationException {
        try {
            return question.ask();
        } catch (IOException | SandboxException e) {
            throw failed(e);
        }
    }

    /// Likewise.
    static void doing(Action action) throws OperationException {
        try {
            action.run();
        } catch (IOException | SandboxException e) {
            throw failed(e);
        }
    }

    int status() {
        return fault.status();
    }

    Api.Problem problem() {
        return new Api.Problem(fault.code(), String.valueOf(getMessage()), remedy);
    }
}
