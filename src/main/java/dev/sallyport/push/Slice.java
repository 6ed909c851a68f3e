package dev.sallyport.push;

import java.time.Duration;

/// How long a judgement may run before it has to ask whether others need its place.
public interface Slice {
    Duration length();

    /// Called when the time is over: true for as much again, false to stop now.
    boolean renew();

    /// Whether nobody else wants the processors, so that all of them may work on it.
    boolean isAlone();

    /// The judgement was stopped because others need its place. Nothing was decided; it may begin
    /// again, with an empty quarantine.
    final class OverException extends Exception {
        private static final long serialVersionUID = 1;

        public OverException() {
            super("others need the place of this judgement");
        }
    }
}
