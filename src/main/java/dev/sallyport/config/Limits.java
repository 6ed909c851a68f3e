package dev.sallyport.config;

import dev.sallyport.policy.PushRules;

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
    /// What one HTTP request may be, on every door.
    public record Http(
            int headBytesMax,
            int headFieldsMax,
            int fieldNameBytesMax,
            int headSecondsMax,
            int keepAliveSecondsMax,
            int bodyIdleSecondsMax,
            int bodyBytesPerSecondMin,
            int requestSecondsMax) {
        public Http {
            requirePositive(headBytesMax, headFieldsMax, fieldNameBytesMax);
            requirePositive(headSecondsMax, keepAliveSecondsMax);
            requirePositive(bodyIdleSecondsMax, bodyBytesPerSecondMin, requestSecondsMax);
        }
    }

    /// How one sandbox is kept from starving the others.
    public record Sharing(
            int connectionsPerSandboxMax,
            int connectionsTotalMax,
            int requestsInFlightPerSandboxMax,
            int requestsInFlightTotalMax,
            int requestsPerSecondPerSandboxMax,
            int requestsWaitingPerSandboxMax,
            int requestWaitSecondsMax) {
        public Sharing {
            requirePositive(
                    connectionsPerSandboxMax, connectionsTotalMax, requestsInFlightPerSandboxMax);
            requirePositive(requestsInFlightTotalMax, requestsPerSecondPerSandboxMax);
            requirePositive(requestsWaitingPerSandboxMax, requestWaitSecondsMax);
        }
    }

    /// Bodies of the git door's endpoints.
    public record Git(
            long fetchBodyBytesMax,
            long pushBodyBytesMax,
            int pushCommandsMax,
            int pushCommandBytesMax) {
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
            int judgementsTotalMax,
            int smallPackBytesMax,
            int judgementSecondsMax,
            int packObjectsMax,
            long inflatedBytesMax,
            int inflationRatioMax,
            int deltaDepthMax,
            long deltaChainBytesMax,
            long spoolBytesTotalMax) {
        public Push {
            requirePositive(judgementsTotalMax, smallPackBytesMax);
            requirePositive(judgementSecondsMax, packObjectsMax);
            requirePositive(inflatedBytesMax, inflationRatioMax, deltaDepthMax);
            requirePositive(deltaChainBytesMax, spoolBytesTotalMax);
        }
    }

    /// What the local copies of upstream repositories may take.
    public record Mirror(
            long diskBytesTotalMax, long repositoryBytesMax, int refsMax, int fetchSecondsMax) {
        public Mirror {
            requirePositive(diskBytesTotalMax, repositoryBytesMax, refsMax, fetchSecondsMax);
        }
    }

    public record Dns(
            int queriesPerSecondPerSandboxMax,
            int tcpConnectionsPerSandboxMax,
            int tcpIdleSecondsMax) {
        public Dns {
            requirePositive(
                    queriesPerSecondPerSandboxMax, tcpConnectionsPerSandboxMax, tcpIdleSecondsMax);
        }
    }

    public record Upstream(
            int connectSecondsMax,
            int tlsHandshakeSecondsMax,
            int answerSecondsMax,
            int idleSecondsMax,
            int headBytesMax,
            int fieldNameBytesMax,
            int keptConnectionsPerSandboxMax,
            int keptConnectionsTotalMax,
            int keptSecondsMax,
            int connectionSecondsMax) {
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
            long bytesUpPerSandboxMax,
            long bytesDownPerSandboxMax,
            long bytesUpPerHostMax,
            long bytesDownPerHostMax,
            long requestsPerSandboxMax,
            int connectionsPerHostMax,
            int namesPerSandboxMax,
            int helloBytesMax,
            int helloSecondsMax,
            int tunnelIdleSecondsMax,
            int tunnelSecondsMax) {
        public Egress {
            requirePositive(bytesUpPerSandboxMax, bytesDownPerSandboxMax);
            requirePositive(bytesUpPerHostMax, bytesDownPerHostMax, requestsPerSandboxMax);
            requirePositive(connectionsPerHostMax, namesPerSandboxMax, helloBytesMax);
            requirePositive(helloSecondsMax, tunnelIdleSecondsMax, tunnelSecondsMax);
        }
    }

    /// Requests to the API of a hosting service. A whole answer is in memory while it is read.
    public record Api(
            int requestBytesMax,
            int answerBytesMax,
            long answerBytesTotalMax,
            long downloadBytesMax,
            int downloadSecondsMax,
            int writesPerMinutePerSandboxMax,
            int writesPerHourPerSandboxMax) {
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
            int waitSecondsMax, int waitingPerSandboxMax, int waitingTotalMax, int bodyBytesMax) {
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
