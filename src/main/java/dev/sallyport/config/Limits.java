package dev.sallyport.config;

import dev.sallyport.policy.PushRules;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Every bound of the data plane, with its unit in its name. There is no "unlimited": each is at
/// least 1.
public record Limits(
        Http http,
        Sharing sharing,
        Git git,
        Push push,
        Mirror mirror,
        Dns dns,
        Upstream upstream,
        Egress egress,
        Api api,
        Approvals approvals) {
    static final long MIB = 1L << 20;

    /// The length fits in one byte, as it has to in some readers (CVE-2021-40346).
    static final int FIELD_NAME_BYTES_MAX = 255;

    /// The values that a limit may take in a policy file. Below the minimum ordinary git stops
    /// working; above the maximum the limit protects nothing.
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    @interface Range {
        long min();

        long max();
    }

    /// What one HTTP request may be, on every door.
    public record Http(
            @Range(min = 1_024, max = 262_144) int headBytesMax,
            @Range(min = 16, max = 512) int headFieldsMax,
            @Range(min = 32, max = FIELD_NAME_BYTES_MAX) int fieldNameBytesMax,
            @Range(min = 1, max = 300) int headSecondsMax,
            @Range(min = 1, max = 3_600) int keepAliveSecondsMax,
            @Range(min = 1, max = 3_600) int bodyIdleSecondsMax,
            @Range(min = 1, max = MIB) int bodyBytesPerSecondMin,
            @Range(min = 10, max = 86_400) int requestSecondsMax) {
        public Http {
            requirePositive(headBytesMax, headFieldsMax, fieldNameBytesMax);
            requirePositive(headSecondsMax, keepAliveSecondsMax);
            requirePositive(bodyIdleSecondsMax, bodyBytesPerSecondMin, requestSecondsMax);
        }
    }

    /// How one sandbox is kept from starving the others.
    public record Sharing(
            @Range(min = 4, max = 65_536) int connectionsPerSandboxMax,
            @Range(min = 16, max = 1_000_000) int connectionsTotalMax,
            @Range(min = 1, max = 4_096) int requestsInFlightPerSandboxMax,
            @Range(min = 4, max = 65_536) int requestsInFlightTotalMax,
            @Range(min = 1, max = 100_000) int requestsPerSecondPerSandboxMax,
            @Range(min = 1, max = 65_536) int requestsWaitingPerSandboxMax,
            @Range(min = 1, max = 300) int requestWaitSecondsMax) {
        public Sharing {
            requirePositive(
                    connectionsPerSandboxMax, connectionsTotalMax, requestsInFlightPerSandboxMax);
            requirePositive(requestsInFlightTotalMax, requestsPerSecondPerSandboxMax);
            requirePositive(requestsWaitingPerSandboxMax, requestWaitSecondsMax);
        }
    }

    /// Bodies of the git door's endpoints.
    public record Git(
            @Range(min = 65_536, max = 1_024 * MIB) long fetchBodyBytesMax,
            @Range(min = 65_536, max = MIB * MIB) long pushBodyBytesMax,
            @Range(min = 1, max = 10_000) int pushCommandsMax,
            @Range(min = 1_024, max = 16 * MIB) int pushCommandBytesMax) {
        public Git {
            requirePositive(
                    fetchBodyBytesMax, pushBodyBytesMax, pushCommandsMax, pushCommandBytesMax);
        }

        /// The largest pack under these rules: the smaller limit applies, whoever set it.
        public long packBytesMax(PushRules rules) {
            return Math.min(pushBodyBytesMax, rules.packBytesMax());
        }
    }

    /// What judging pushes may cost.
    public record Push(
            @Range(min = 2, max = 16) int judgementsTotalMax,
            @Range(min = 1_024, max = 64 * MIB) int smallPackBytesMax,
            @Range(min = 1, max = 3_600) int judgementSecondsMax,
            @Range(min = 1_000, max = 5_000_000) int packObjectsMax,
            @Range(min = MIB, max = MIB * MIB) long inflatedBytesMax,
            @Range(min = 10, max = 1_032) int inflationRatioMax,
            @Range(min = 50, max = 4_096) int deltaDepthMax,
            @Range(min = MIB, max = 1_024 * MIB) long deltaChainBytesMax,
            @Range(min = MIB, max = MIB * MIB) long spoolBytesTotalMax) {
        public Push {
            requirePositive(judgementsTotalMax, smallPackBytesMax);
            requirePositive(judgementSecondsMax, packObjectsMax);
            requirePositive(inflatedBytesMax, inflationRatioMax, deltaDepthMax);
            requirePositive(deltaChainBytesMax, spoolBytesTotalMax);
        }
    }

    /// What the local copies of upstream repositories may take.
    public record Mirror(
            @Range(min = MIB, max = 64 * MIB * MIB) long diskBytesTotalMax,
            @Range(min = MIB, max = 64 * MIB * MIB) long repositoryBytesMax,
            @Range(min = 100, max = 5_000_000) int refsMax,
            @Range(min = 1, max = 86_400) int fetchSecondsMax) {
        public Mirror {
            requirePositive(diskBytesTotalMax, repositoryBytesMax, refsMax, fetchSecondsMax);
        }
    }

    public record Dns(
            @Range(min = 1, max = 100_000) int queriesPerSecondPerSandboxMax,
            @Range(min = 1, max = 1_024) int tcpConnectionsPerSandboxMax,
            @Range(min = 1, max = 300) int tcpIdleSecondsMax) {
        public Dns {
            requirePositive(
                    queriesPerSecondPerSandboxMax, tcpConnectionsPerSandboxMax, tcpIdleSecondsMax);
        }
    }

    public record Upstream(
            @Range(min = 1, max = 300) int connectSecondsMax,
            @Range(min = 1, max = 300) int tlsHandshakeSecondsMax,
            @Range(min = 1, max = 3_600) int answerSecondsMax,
            @Range(min = 1, max = 3_600) int idleSecondsMax,
            @Range(min = 1_024, max = MIB) int headBytesMax,
            @Range(min = 32, max = FIELD_NAME_BYTES_MAX) int fieldNameBytesMax,
            @Range(min = 1, max = 1_024) int keptConnectionsPerSandboxMax,
            @Range(min = 1, max = 4_096) int keptConnectionsTotalMax,
            @Range(min = 1, max = 300) int keptSecondsMax,
            @Range(min = 1, max = 3_600) int connectionSecondsMax) {
        public Upstream {
            requirePositive(
                    connectSecondsMax,
                    tlsHandshakeSecondsMax,
                    answerSecondsMax,
                    idleSecondsMax,
                    headBytesMax,
                    fieldNameBytesMax);
            requirePositive(keptConnectionsPerSandboxMax, keptConnectionsTotalMax);
            requirePositive(keptSecondsMax, connectionSecondsMax);
        }
    }

    /// What a sandbox may use of the hosts besides git.
    public record Egress(
            @Range(min = 1, max = MIB * MIB) long bytesUpPerSandboxMax,
            @Range(min = 1, max = MIB * MIB) long bytesDownPerSandboxMax,
            @Range(min = 1, max = MIB * MIB) long bytesUpPerHostMax,
            @Range(min = 1, max = MIB * MIB) long bytesDownPerHostMax,
            @Range(min = 1, max = MIB * MIB) long requestsPerSandboxMax,
            @Range(min = 1, max = 10_000) int connectionsPerHostMax,
            @Range(min = 1, max = 1_000_000) int namesPerSandboxMax,
            @Range(min = 512, max = 65_536) int helloBytesMax,
            @Range(min = 1, max = 300) int helloSecondsMax,
            @Range(min = 1, max = 86_400) int tunnelIdleSecondsMax,
            @Range(min = 1, max = 604_800) int tunnelSecondsMax) {
        public Egress {
            requirePositive(bytesUpPerSandboxMax, bytesDownPerSandboxMax);
            requirePositive(bytesUpPerHostMax, bytesDownPerHostMax, requestsPerSandboxMax);
            requirePositive(connectionsPerHostMax, namesPerSandboxMax, helloBytesMax);
            requirePositive(helloSecondsMax, tunnelIdleSecondsMax, tunnelSecondsMax);
        }
    }

    /// Requests to the API of a hosting service. A whole answer is in memory while it is read.
    public record Api(
            @Range(min = 4_096, max = REQUEST_BYTES_HIGHEST) int requestBytesMax,
            @Range(min = 64 << 10, max = 8 * MIB) int answerBytesMax,
            @Range(min = MIB, max = 256 * MIB) long answerBytesTotalMax,
            @Range(min = MIB, max = MIB * MIB) long downloadBytesMax,
            @Range(min = 1, max = 86_400) int downloadSecondsMax,
            @Range(min = 1, max = 10_000) int writesPerMinutePerSandboxMax,
            @Range(min = 1, max = 100_000) int writesPerHourPerSandboxMax) {
        /// More than this `requestBytesMax` cannot be: a text of the longest kind, with every
        /// character escaped.
        public static final int REQUEST_BYTES_HIGHEST = 512 << 10;

        public static final Api STANDARD =
                new Api(128 << 10, 8 << 20, 32L << 20, 1L << 30, 600, 20, 200);

        public Api {
            requirePositive(requestBytesMax, answerBytesMax, answerBytesTotalMax);
            requirePositive(downloadBytesMax, downloadSecondsMax);
            requirePositive(writesPerMinutePerSandboxMax, writesPerHourPerSandboxMax);
        }
    }

    /// Questions to a person. What waits holds a place, and a body in memory.
    public record Approvals(
            @Range(min = 1, max = 3_000) int waitSecondsMax,
            @Range(min = 1, max = 64) int waitingPerSandboxMax,
            @Range(min = 1, max = 256) int waitingTotalMax,
            @Range(min = 1_024, max = 16 * MIB) int bodyBytesMax) {
        public static final Approvals STANDARD = new Approvals(300, 4, 32, 1 << 20);

        public Approvals {
            requirePositive(waitSecondsMax, waitingPerSandboxMax, waitingTotalMax, bodyBytesMax);
        }
    }

    public static Limits standard() {
        return new Limits(
                new Http(16_384, 64, 128, 10, 60, 60, 64, 3_600),
                new Sharing(256, 8_192, 64, 1_024, 500, 256, 30),
                new Git(64L << 20, 1L << 30, 64, 65_536),
                new Push(2, 1 << 20, 300, 500_000, 8L << 30, 200, 4_096, 64L << 20, 8L << 30),
                new Mirror(20L << 30, 10L << 30, 100_000, 3_600),
                new Dns(200, 16, 10),
                new Upstream(10, 10, 120, 120, 32_768, 128, 64, 512, 60, 300),
                new Egress(
                        8L << 30,
                        256L << 30,
                        4L << 30,
                        128L << 30,
                        1_000_000,
                        128,
                        4_096,
                        16_384,
                        10,
                        600,
                        86_400),
                Api.STANDARD,
                Approvals.STANDARD);
    }

    private static void requirePositive(long... values) {
        for (long value : values) {
            if (value < 1) {
                throw new IllegalArgumentException(
                        "a limit is at least 1; there is no value for unlimited");
            }
        }
    }
}
