package dev.sallyport.config;

import java.time.Duration;
import java.util.List;

/// How long sessions may live at most, whatever the person asks for, and how much they may leave on
/// disk; `sessions:` of a policy file.
///
/// @param idleMax longest rest
/// @param lifeMax longest life, every extension included
/// @param homeBytesMax largest home directory with which a sandbox starts
public record SessionLimits(Duration idleMax, Duration lifeMax, long homeBytesMax) {
    private static final String IDLE = "idle-hours-max";
    private static final String LIFE = "life-hours-max";
    private static final String HOME = "home-bytes-max";
    private static final long HOME_MIN = 1L << 20;
    private static final long HOME_MAX = 1L << 50;
    private static final long HOURS_MAX = 24 * 366;

    public static SessionLimits standard() {
        return new SessionLimits(Duration.ofDays(7), Duration.ofDays(30), 10L << 30);
    }

    static SessionLimits read(YamlMapping yaml) throws ConfigException {
        yaml.requireOnly(List.of(IDLE, LIFE, HOME));
        return new SessionLimits(
                hours(yaml, IDLE, standard().idleMax),
                hours(yaml, LIFE, standard().lifeMax),
                yaml.number(HOME, HOME_MIN, HOME_MAX).orElse(standard().homeBytesMax));
    }

    private static Duration hours(YamlMapping yaml, String key, Duration standard)
            throws ConfigException {
        return Duration.ofHours(yaml.number(key, 1, HOURS_MAX).orElse(standard.toHours()));
    }
}
