package dev.sallyport.session;

import java.time.Duration;
import java.time.Instant;

/// When a session began, was last of use, and ends. Two limits end it: the absolute one and the
/// idle one, whichever comes first.
///
/// Its times are the session's own, told by [#at]: they go on as the wall clock does, but a wall
/// clock that is set back gives no time back. Within one start of the machine at least as much has
/// passed as the machine counted.
///
/// @param lastUsed last successful, permitted operation; attempts do not count
/// @param expires the absolute end
/// @param idleLimit how long it may rest
/// @param latest no extension goes beyond
/// @param seen when somebody looked last; its wall time is the session's own
public record Lifetime(
        Instant created,
        Instant lastUsed,
        Instant expires,
        Duration idleLimit,
        Instant latest,
        Moment seen) {
    public static final Duration IDLE_LIMIT_DEFAULT = Duration.ofHours(24);
    public static final Duration ABSOLUTE_LIMIT_DEFAULT = Duration.ofDays(7);

    private static final Duration WARNING = Duration.ofMinutes(30);
    private static final int WARNING_SHARE = 10;

    public Lifetime {
        if (lastUsed.isBefore(created) || expires.isBefore(created)) {
            throw new IllegalArgumentException("a session is used and ends after it began");
        }
        if (latest.isBefore(expires)) {
            throw new IllegalArgumentException("a session ends at its latest end or before");
        }
        if (idleLimit.isZero() || idleLimit.isNegative()) {
            throw new IllegalArgumentException("the idle limit of a session is positive");
        }
    }

    /// A session that begins now.
    ///
    /// @param limit how long it may last
    /// @param most how long it may last with every extension
    public static Lifetime starting(Moment now, Duration idle, Duration limit, Duration most) {
        Instant begin = now.wall();
        return new Lifetime(begin, begin, begin.plus(limit), idle, begin.plus(most), now);
    }

    /// What time it is for this session.
    public Instant at(Moment now) {
        return seen.at(now);
    }

    public Instant idleEnd() {
        return lastUsed.plus(idleLimit);
    }

    /// When it ends if it is not used again.
    public Instant end() {
        return idleEnd().isBefore(expires) ? idleEnd() : expires;
    }

    public boolean isOver(Moment now) {
        return !at(now).isBefore(end());
    }

    /// Whether it is over for good: no use and no start changes that.
    public boolean isExpired(Moment now) {
        return !at(now).isBefore(expires);
    }

    /// Whether those inside should know that it ends: less than a tenth of the limit that ends it
    /// is left, or less than half an hour.
    public boolean isClosing(Moment now) {
        Duration whole =
                idleEnd().isBefore(expires) ? idleLimit : Duration.between(created, expires);
        Duration tenth = whole.dividedBy(WARNING_SHARE);
        Duration left = Duration.between(at(now), end());
        return left.compareTo(tenth.compareTo(WARNING) > 0 ? tenth : WARNING) < 0;
    }

    /// Writes down how far its time has come.
    public Lifetime seenAt(Moment now) {
        return new Lifetime(created, lastUsed, expires, idleLimit, latest, seen.onward(now));
    }

    public Lifetime usedAt(Moment now) {
        Instant used = at(now);
        return new Lifetime(
                created,
                used.isAfter(lastUsed) ? used : lastUsed,
                expires,
                idleLimit,
                latest,
                seen.onward(now));
    }

    /// Ends `more` from now, if that is later than before, and never after the latest end; resting
    /// begins anew.
    public Lifetime extended(Moment now, Duration more) {
        Instant wanted = at(now).plus(more);
        Instant longer = wanted.isAfter(expires) ? wanted : expires;
        Instant allowed = longer.isAfter(latest) ? latest : longer;
        Lifetime used = usedAt(now);
        return new Lifetime(created, used.lastUsed, allowed, idleLimit, latest, used.seen);
    }
}
