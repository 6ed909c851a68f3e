package dev.sallyport.relay;

import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.Refusal;

/// A part of a request's life. A stage takes body pieces from the moment it exists, but does
/// nothing that has an effect before it is started, which is when its decision has been recorded.
public interface Stage extends RequestHandler {
    void start();

    /// In place of [#start]: its decision could not be recorded, so it has no effect.
    default void unrecorded(Ask ask, Refusal reason) {
        abort(reason);
        ask.refuse(reason);
    }
}
