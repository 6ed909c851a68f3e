package dev.sallyport.control;

/// The warden refused, or could not be reached. [#problem()] says what is wrong and what to do.
public final class ControlException extends Exception {
    private static final long serialVersionUID = 1L;

    /// Code of the problem that there is no warden to talk to.
    public static final String NOT_RUNNING = "not-running";

    /// Status of the answer that there is no such thing.
    public static final int NOT_FOUND = 404;

    private static final int ELSEWHERE = 421;

    static final String CONNECTION_LOST = "connection-lost";

    private final int status;
    private final transient Api.Problem problem;

    public ControlException(int status, Api.Problem problem) {
        super(problem.message() + " " + problem.remedy());
        this.status = status;
        this.problem = problem;
    }

    static ControlException local(String code, String message, String remedy) {
        return new ControlException(0, new Api.Problem(code, message, remedy));
    }

    /// HTTP status of the answer, or 0 when there was none.
    public int status() {
        return status;
    }

    public Api.Problem problem() {
        return problem;
    }

    /// The connection broke before there was an answer. An answer with this code is still an
    /// answer.
    public boolean isConnectionLost() {
        return problem.code().equals(CONNECTION_LOST) && status == 0;
    }

    /// Another gateway with the same store has the sandbox, or none has it at the moment.
    public boolean isElsewhere() {
        return status == ELSEWHERE;
    }

    public boolean isNotRunning() {
        return problem.code().equals(NOT_RUNNING);
    }
}
