package dev.sallyport.mirror;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.storage.file.WindowCacheConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;

/// JGit cut off from the machine (attack G17): no configuration of the system, of a person or of
/// JGit itself, no environment, no home directory, no process started to look for them. Whoever
/// uses JGit calls [#install] first.
public final class IsolatedGit extends SystemReader {
    private static final int MIB = 1 << 20;

    /// More would not make clones faster, which read each window once, and what is kept for longer
    /// becomes old garbage.
    private static final int WINDOW_CACHE_BYTES = MIB;

    private static final int OPEN_FILES_MAX = 128;
    private static final int DELTA_BASE_CACHE_BYTES = 8 * MIB;

    /// JGit holds objects up to this size in memory as a whole, and all that are stored as deltas.
    static final int WHOLE_OBJECT_BYTES_MAX = 8 * MIB;

    private static final IsolatedGit INSTANCE = new IsolatedGit();

    private final Empty empty = new Empty();

    private IsolatedGit() {
        setPlatformChecker();
    }

    /// Once or again; the caches are sized for a gateway with 256 MiB of heap.
    public static synchronized void install() {
        if (SystemReader.getInstance() == INSTANCE) {
            return;
        }
        SystemReader.setInstance(INSTANCE);
        WindowCacheConfig cache = new WindowCacheConfig();
        cache.setPackedGitLimit(WINDOW_CACHE_BYTES);
        cache.setPackedGitOpenFiles(OPEN_FILES_MAX);
        cache.setPackedGitMMAP(false);
        cache.setDeltaBaseCacheLimit(DELTA_BASE_CACHE_BYTES);
        cache.setStreamFileThreshold(WHOLE_OBJECT_BYTES_MAX);
        cache.setExposeStatsViaJmx(false);
        cache.install();
    }

    @Override
    public String getHostname() {
        return "localhost";
    }

    @Override
    @SuppressWarnings("NullAway") // JGit's word for "not set".
    public String getenv(String variable) {
        return null;
    }

    /// What the JVM says about itself, but not where somebody's home is.
    @Override
    @SuppressWarnings("NullAway")
    public String getProperty(String key) {
        return key.startsWith("user.") ? null : System.getProperty(key);
    }

    @Override
    public FileBasedConfig openUserConfig(Config parent, FS fs) {
        return empty;
    }

    @Override
    public FileBasedConfig openSystemConfig(Config parent, FS fs) {
        return empty;
    }

    @Override
    public FileBasedConfig openJGitConfig(Config parent, FS fs) {
        return empty;
    }

    @Override
    public FileBasedConfig getUserConfig() {
        return empty;
    }

    @Override
    public FileBasedConfig getSystemConfig() {
        return empty;
    }

    @Override
    public FileBasedConfig getJGitConfig() {
        return empty;
    }

    @Override
    @SuppressWarnings("deprecation") // JGit requires it.
    public long getCurrentTime() {
        return now().toEpochMilli();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    @SuppressWarnings("deprecation") // JGit requires it.
    public int getTimezone(long when) {
        return 0;
    }

    @Override
    public ZoneId getTimeZoneId() {
        return ZoneOffset.UTC;
    }

    /// A configuration that is in no file and cannot be written.
    private static final class Empty extends FileBasedConfig {
        private static final String FILE_SYSTEMS = "filesystem";
        private static final long TIMESTAMP_MILLIS = 10;

        @SuppressWarnings("NullAway") // Neither has a parent or a file.
        Empty() {
            super(null, null, FS.DETECTED);
        }

        @Override
        public void load() {}

        @Override
        public boolean isOutdated() {
            return false;
        }

        @Override
        public void save() throws IOException {
            throw new IOException("this configuration is not kept");
        }

        /// JGit measures how fine a file system's time stamps are, for seconds and with files of
        /// its own, unless a configuration says it.
        @Override
        public long getTimeUnit(
                String section,
                String subsection,
                String name,
                long defaultValue,
                TimeUnit wantUnit) {
            return section.equals(FILE_SYSTEMS)
                    ? wantUnit.convert(TIMESTAMP_MILLIS, TimeUnit.MILLISECONDS)
                    : super.getTimeUnit(section, subsection, name, defaultValue, wantUnit);
        }
    }
}
