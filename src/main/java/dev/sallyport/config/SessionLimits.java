package dev.sallyport.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// How long sessions may live at most, whatever the person asks for; `sessions:` of a policy file.
///
/// @param idleMax longest rest
/// @param lifeMax longest life, every extension included
public record SessionLimits(Duration idleMax, Duration lifeMax) {
    private static final String IDLE = "idle-hours-max";
    private static final String LIFE = "life-hours-max";
    private static final long HOURS_MAX = 24 * 366;

    public static SessionLimits standard() {
        return new SessionLimits(Duration.ofDays(7), Duration.ofDays(30));
    }

    static SessionLimits read(Optional<YamlMapping> yaml) throws ConfigException {
        if (yaml.isEmpty()) {
            return standard();
        }
        yaml.get().requireOnly(List.of(IDLE, LIFE));
        return new SessionLimits(
                hours(yaml.get(), IDLE, standard().idleMax),
                hours(yaml.get(), LIFE, standard().lifeMax));
    }

    private static Duration hours(YamlMapping yaml, String key, Duration standard)
            throws ConfigException {
        return Duration.ofHours(yaml.number(key, 1, HOURS_MAX).orElse(standard.toHours()));
    }
}
