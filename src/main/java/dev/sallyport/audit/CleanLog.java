package dev.sallyport.audit;

import java.util.function.Predicate;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/// What a daemon says in its log, without credentials: messages of exceptions repeat what a sandbox
/// or an upstream has sent.
public final class CleanLog extends Formatter {
    /// Whose lines about frames that come too late a host or a sandbox could make as many of as it
    /// likes.
    private static final Logger FRAMES = Logger.getLogger("io.netty.handler.codec.http2");

    private final Predicate<String> isKnown;
    private final Formatter plain = new SimpleFormatter();

    /// @param isKnown whether a text has a secret in it that this process holds
    CleanLog(Predicate<String> isKnown) {
        this.isKnown = isKnown;
    }

    /// From now on everything that this process logs is clean. What ends a thread is logged, too,
    /// and so not printed as it is.
    public static void install(Predicate<String> isKnown) {
        Logger root = LogManager.getLogManager().getLogger("");
        for (Handler handler : root.getHandlers()) {
            handler.setFormatter(new CleanLog(isKnown));
        }
        FRAMES.setLevel(Level.WARNING);
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, cause) ->
                        System.getLogger(CleanLog.class.getName())
                                .log(
                                        System.Logger.Level.ERROR,
                                        "thread " + thread.getName() + " has ended",
                                        cause));
    }

    @Override
    public String format(LogRecord said) {
        String text = plain.format(said);
        return isKnown.test(text)
                ? "%s %s: %s%n".formatted(said.getInstant(), said.getLoggerName(), Redaction.MARK)
                : Redaction.redact(text);
    }
}
