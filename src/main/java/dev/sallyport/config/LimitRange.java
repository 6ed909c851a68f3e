package dev.sallyport.config;

import java.util.Map;

/// The values that a limit may take in a policy file. Below the minimum ordinary git stops working;
/// above the maximum the limit protects nothing.
record LimitRange(long min, long max) {
    private static final long MIB = 1L << 20;

    /// The length fits in one byte, as it has to in some readers (CVE-2021-40346).
    private static final LimitRange FIELD_NAME = new LimitRange(32, 255);

    private static final Map<String, LimitRange> ALL =
            Map.ofEntries(
                    Map.entry("http.head-bytes-max", new LimitRange(1_024, 262_144)),
                    Map.entry("http.head-fields-max", new LimitRange(16, 512)),
                    Map.entry("http.field-name-bytes-max", FIELD_NAME),
                    Map.entry("http.head-seconds-max", new LimitRange(1, 300)),
                    Map.entry("http.keep-alive-seconds-max", new LimitRange(1, 3_600)),
                    Map.entry("http.body-idle-seconds-max", new LimitRange(1, 3_600)),
                    Map.entry("http.body-bytes-per-second-min", new LimitRange(1, MIB)),
                    Map.entry("http.request-seconds-max", new LimitRange(10, 86_400)),
                    Map.entry("sharing.connections-per-sandbox-max", new LimitRange(4, 65_536)),
                    Map.entry("sharing.connections-total-max", new LimitRange(16, 1_000_000)),
                    Map.entry(
                            "sharing.requests-in-flight-per-sandbox-max", new LimitRange(1, 4_096)),
                    Map.entry("sharing.requests-in-flight-total-max", new LimitRange(4, 65_536)),
                    Map.entry(
                            "sharing.requests-per-second-per-sandbox-max",
                            new LimitRange(1, 100_000)),
                    Map.entry(
                            "sharing.requests-waiting-per-sandbox-max", new LimitRange(1, 65_536)),
                    Map.entry("sharing.request-wait-seconds-max", new LimitRange(1, 300)),
                    Map.entry("git.fetch-body-bytes-max", new LimitRange(65_536, 1_024 * MIB)),
                    Map.entry("git.push-body-bytes-max", new LimitRange(65_536, MIB * MIB)),
                    Map.entry("git.push-commands-max", new LimitRange(1, 10_000)),
                    Map.entry("git.push-command-bytes-max", new LimitRange(1_024, 16 * MIB)),
                    Map.entry("push.judgements-total-max", new LimitRange(2, 16)),
                    Map.entry("push.small-pack-bytes-max", new LimitRange(1_024, 64 * MIB)),
                    Map.entry("push.judgement-seconds-max", new LimitRange(1, 3_600)),
                    Map.entry("push.pack-objects-max", new LimitRange(1_000, 5_000_000)),
                    Map.entry("push.inflated-bytes-max", new LimitRange(MIB, MIB * MIB)),
                    Map.entry("push.inflation-ratio-max", new LimitRange(10, 1_032)),
                    Map.entry("push.delta-depth-max", new LimitRange(50, 4_096)),
                    Map.entry("push.delta-chain-bytes-max", new LimitRange(MIB, 1_024 * MIB)),
                    Map.entry("push.spool-bytes-total-max", new LimitRange(MIB, MIB * MIB)),
                    Map.entry("mirror.disk-bytes-total-max", new LimitRange(MIB, 64 * MIB * MIB)),
                    Map.entry("mirror.repository-bytes-max", new LimitRange(MIB, 64 * MIB * MIB)),
                    Map.entry("mirror.refs-max", new LimitRange(100, 5_000_000)),
                    Map.entry("mirror.fetch-seconds-max", new LimitRange(1, 86_400)),
                    Map.entry("dns.queries-per-second-per-sandbox-max", new LimitRange(1, 100_000)),
                    Map.entry("dns.tcp-connections-per-sandbox-max", new LimitRange(1, 1_024)),
                    Map.entry("dns.tcp-idle-seconds-max", new LimitRange(1, 300)),
                    Map.entry("upstream.connect-seconds-max", new LimitRange(1, 300)),
                    Map.entry("upstream.tls-handshake-seconds-max", new LimitRange(1, 300)),
                    Map.entry("upstream.answer-seconds-max", new LimitRange(1, 3_600)),
                    Map.entry("upstream.idle-seconds-max", new LimitRange(1, 3_600)),
                    Map.entry("upstream.head-bytes-max", new LimitRange(1_024, MIB)),
                    Map.entry("upstream.field-name-bytes-max", FIELD_NAME),
                    Map.entry(
                            "upstream.kept-connections-per-sandbox-max", new LimitRange(1, 1_024)),
                    Map.entry("upstream.kept-connections-total-max", new LimitRange(1, 4_096)),
                    Map.entry("upstream.kept-seconds-max", new LimitRange(1, 300)),
                    Map.entry("upstream.connection-seconds-max", new LimitRange(1, 3_600)),
                    Map.entry("egress.bytes-up-per-sandbox-max", new LimitRange(1, MIB * MIB)),
                    Map.entry("egress.bytes-down-per-sandbox-max", new LimitRange(1, MIB * MIB)),
                    Map.entry("egress.bytes-up-per-host-max", new LimitRange(1, MIB * MIB)),
                    Map.entry("egress.bytes-down-per-host-max", new LimitRange(1, MIB * MIB)),
                    Map.entry("egress.requests-per-sandbox-max", new LimitRange(1, MIB * MIB)),
                    Map.entry("egress.connections-per-host-max", new LimitRange(1, 10_000)),
                    Map.entry("egress.names-per-sandbox-max", new LimitRange(1, 1_000_000)),
                    Map.entry("egress.hello-bytes-max", new LimitRange(512, 65_536)),
                    Map.entry("egress.hello-seconds-max", new LimitRange(1, 300)),
                    Map.entry("egress.tunnel-idle-seconds-max", new LimitRange(1, 86_400)),
                    Map.entry("egress.tunnel-seconds-max", new LimitRange(1, 604_800)),
                    Map.entry(
                            "api.request-bytes-max",
                            new LimitRange(4_096, Limits.Api.REQUEST_BYTES_HIGHEST)),
                    Map.entry("api.answer-bytes-max", new LimitRange(64 << 10, 8 * MIB)),
                    Map.entry("api.answer-bytes-total-max", new LimitRange(MIB, 256 * MIB)),
                    Map.entry("api.download-bytes-max", new LimitRange(MIB, MIB * MIB)),
                    Map.entry("api.download-seconds-max", new LimitRange(1, 86_400)),
                    Map.entry("api.writes-per-minute-per-sandbox-max", new LimitRange(1, 10_000)),
                    Map.entry("api.writes-per-hour-per-sandbox-max", new LimitRange(1, 100_000)),
                    Map.entry("approvals.wait-seconds-max", new LimitRange(1, 3_000)),
                    Map.entry("approvals.waiting-per-sandbox-max", new LimitRange(1, 64)),
                    Map.entry("approvals.waiting-total-max", new LimitRange(1, 256)),
                    Map.entry("approvals.body-bytes-max", new LimitRange(1_024, 16 * MIB)));

    static LimitRange of(String key) {
        LimitRange range = ALL.get(key);
        if (range == null) {
            throw new AssertionError("the limit " + key + " has no range");
        }
        return range;
    }
}
