package dev.sallyport.session;

import java.time.Duration;
import java.time.Instant;

/// When a session began, was last of use, and ends. Two limits end it: the absolute one and the
/// idle one, whichever comes first.
///
/// @param lastUsed last successful, permitted operation; attempts do not count
/// @param expires the absolute end
/// @param idleLimit how long it may rest
public record Lifetime(Instant created, Instant lastUsed, Instant expires, Duration idleLimit) {
    private static final Duration IDLE_LIMIT_DEFAULT = Duration.ofHours(24);
    private static final Duration ABSOLUTE_LIMIT_DEFAULT = Duration.ofDays(7);

    public Lifetime {
        if (lastUsed.isBefore(created) || expires.isBefore(created)) {
            throw new IllegalArgumentException("a session is used and ends after it began");
        }
        if (idleLimit.isZero() || idleLimit.isNegative()) {
            throw new IllegalArgumentException("the idle limit of a session is positive");
        }
    }

    /// A session that begins now, with the usual limits.
    public static Lifetime standard(Instant now) {
        return new Lifetime(now, now, now.plus(ABSOLUTE_LIMIT_DEFAULT), IDLE_LIMIT_DEFAULT);
    }

    /// When it ends if it is not used again.
    public Instant end() {
        Instant idleEnd = lastUsed.plus(idleLimit);
        return idleEnd.isBefore(expires) ? idleEnd : expires;
    }

    public boolean isOver(Instant now) {
        return !now.isBefore(end());
    }

    /// A clock that went back does not make a session older.
    public Lifetime usedAt(Instant now) {
        return new Lifetime(created, now.isAfter(lastUsed) ? now : lastUsed, expires, idleLimit);
    }
}
