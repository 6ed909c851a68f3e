package dev.sallyport.warden;

import dev.sallyport.config.SessionLimits;
import dev.sallyport.control.Api;
import dev.sallyport.session.Caps;
import dev.sallyport.session.Lifetime;
import dev.sallyport.session.Moment;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Turns what a person says about the life of a session into its limits, or refuses it.
record LifeRequests(SessionLimits limits) {
    private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,8})([smhd])");
    private static final Map<String, Duration> UNITS =
            Map.of(
                    "s", Duration.ofSeconds(1),
                    "m", Duration.ofMinutes(1),
                    "h", Duration.ofHours(1),
                    "d", Duration.ofDays(1));
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,15})([KMGT]?)");
    private static final String SHIFTS = "KMGT";

    Lifetime lifetime(Api.LifeRequest request, Moment now) throws OperationException {
        Duration idle =
                limit("--idle", request.idle(), Lifetime.IDLE_LIMIT_DEFAULT, limits.idleMax());
        Duration life =
                limit(
                        "--expires",
                        request.expires(),
                        Lifetime.ABSOLUTE_LIMIT_DEFAULT,
                        limits.lifeMax());
        return Lifetime.starting(now, idle, life, limits.lifeMax());
    }

    private static Duration limit(
            String option, Optional<String> asked, Duration standard, Duration max)
            throws OperationException {
        if (asked.isEmpty()) {
            return standard.compareTo(max) > 0 ? max : standard;
        }
        Duration duration = duration(option, asked.get());
        if (duration.compareTo(max) > 0) {
            throw OperationException.invalid(
                    option + " is more than sessions: in policy.yaml allows.",
                    "Ask for at most " + max.toHours() + "h.");
        }
        return duration;
    }

    static Duration duration(String option, String text) throws OperationException {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw OperationException.invalid(
                    option + " is not a duration: " + text + ".",
                    "Write a number and s, m, h or d: 90s, 30m, 12h, 7d.");
        }
        Duration unit = UNITS.getOrDefault(matcher.group(2), Duration.ofSeconds(1));
        return unit.multipliedBy(Long.parseLong(matcher.group(1)));
    }

    static Caps caps(Api.LifeRequest request) throws OperationException {
        Optional<Long> bytes = Optional.empty();
        if (request.maxBytes().isPresent()) {
            bytes = Optional.of(size("--max-bytes", request.maxBytes().get()));
        }
        try {
            return new Caps(request.maxRequests(), bytes, request.maxPushes());
        } catch (IllegalArgumentException e) {
            throw OperationException.invalid(
                    "A cap must be at least 1.", "Leave it out for no cap.");
        }
    }

    private static long size(String option, String text) throws OperationException {
        Matcher matcher = SIZE.matcher(text);
        if (matcher.matches()) {
            int shift =
                    matcher.group(2).isEmpty() ? 0 : 10 * (SHIFTS.indexOf(matcher.group(2)) + 1);
            long number = Long.parseLong(matcher.group(1));
            if (number <= Long.MAX_VALUE >> shift) {
                return number << shift;
            }
        }
        throw OperationException.invalid(
                option + " is not a size: " + text + ".",
                "Write a number of bytes, or with K, M, G or T: 500M, 2G.");
    }
}
