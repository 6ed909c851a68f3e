package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// Why a request came to nothing, with what upstream said about it.
///
/// @param status what upstream answered; 0 when it did not, or when it is not to blame
/// @param retrySeconds how long upstream asks to wait
public record Failure(Refusal reason, int status, OptionalLong retrySeconds) {
    public static Failure of(Refusal reason) {
        return new Failure(reason, 0, OptionalLong.empty());
    }

    /// What the status of an answer says that is not passed on.
    ///
    /// @param authorized whether the request carried a credential
    public static Failure of(AnswerHead answer, boolean authorized) {
        return new Failure(
                AnswerCheck.reason(answer.status(), authorized),
                answer.status(),
                RetryAfter.seconds(answer));
    }

    /// Whether upstream said no, so that nothing has happened there. Of an error of its own that is
    /// not known.
    public boolean isRefusedUpstream() {
        return status >= 400 && status < 500;
    }

    /// For the person and the record; empty when there is nothing to add to the reason.
    public String detail() {
        if (status == 0) {
            return "";
        }
        String answered = "upstream answered " + status;
        return retrySeconds.isPresent()
                ? answered + "; try again in " + retrySeconds.getAsLong() + " seconds"
                : answered;
    }

    /// How long upstream asks to wait (RFC 9110, section 10.2.3): seconds, or a date in the one
    /// form that may be sent today. What is neither says nothing.
    static final class RetryAfter {
        private static final long SECONDS_MAX = 86_400;
        private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");
        private static final DateTimeFormatter DATE =
                DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ROOT)
                        .withResolverStyle(ResolverStyle.STRICT)
                        .withZone(ZoneOffset.UTC);

        private RetryAfter() {}

        static OptionalLong seconds(AnswerHead head) {
            List<String> values = head.values("retry-after");
            return values.size() == 1
                    ? seconds(values.getFirst(), Instant.now())
                    : OptionalLong.empty();
        }

        /// Not longer than a day.
        static OptionalLong seconds(String value, Instant now) {
            if (SECONDS.matcher(value).matches()) {
                return OptionalLong.of(Math.min(Long.parseLong(value), SECONDS_MAX));
            }
            try {
                Instant then = DATE.parse(value, Instant::from);
                long seconds = Duration.between(now, then).toSeconds();
                return OptionalLong.of(Math.clamp(seconds, 0, SECONDS_MAX));
            } catch (DateTimeParseException _) {
                return OptionalLong.empty();
            }
        }
    }
}
