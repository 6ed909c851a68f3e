package dev.sallyport.story;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.policy.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// What all sandboxes did lately, gathered from the lines of the record, oldest first. Whatever a
/// sandbox can make more of has a limit; the oldest gives way. Not for several threads.
public final class Activity {
    public static final Duration LOOKS_BACK = Duration.ofHours(24);
    static final int SESSIONS_MAX = 500;
    static final int HOSTS_MAX = 200;
    static final int PUSHES_MAX = 200;

    /// Of each session: all of all of them would be too much to look at, and to send so often.
    static final int DENIALS_MAX = 100;

    private final Map<String, String> names = new Recent<>(10 * SESSIONS_MAX);
    private final Map<String, Session> sessions = new Recent<>(SESSIONS_MAX);
    private final Map<String, HostTraffic> hosts = new Recent<>(HOSTS_MAX);
    private final Deque<Push> pushes = new ArrayDeque<>();
    private long seen;

    /// What one session was allowed and denied.
    private static final class Session {
        private final DenialGroups denials;
        private long allowed;
        private long denied;

        Session(String sandbox) {
            denials = new DenialGroups(sandbox);
        }
    }

    /// One ref of one push.
    ///
    /// @param reason code of why it was denied; empty when it was allowed
    /// @param upstream what the git host said: `taken`, `refused`, or empty while it is not known
    public record Push(
            String time,
            String sandbox,
            String id,
            String repo,
            String ref,
            String before,
            String after,
            String decision,
            String reason,
            String sentence,
            String detail,
            String upstream) {
        Push answered(String said) {
            return new Push(
                    time, sandbox, id, repo, ref, before, after, decision, reason, sentence, detail,
                    said);
        }
    }

    /// What one sandbox did in the last 24 hours, or since the record began.
    ///
    /// @param denials the newest of them, newest last
    public record SandboxView(
            String session,
            String sandbox,
            long allowed,
            long denied,
            List<DenialGroups.Denial> denials) {}

    /// All of it; pushes newest first, hosts busiest first.
    public record View(
            List<SandboxView> sandboxes, List<HostTraffic.View> hosts, List<Push> pushes) {}

    /// A line that was added already, or an older one, changes nothing.
    public void add(AuditLine line, Instant now) {
        if (line.seq() <= seen) {
            return;
        }
        seen = line.seq();
        AuditEvent event = line.event();
        String name = event.detail().get(AuditFilter.SANDBOX);
        if (name != null && !event.session().isEmpty()) {
            names.put(event.session(), name);
        }
        if (event.kind().equals("git.push")) {
            addPush(line);
        } else if (event.kind().equals("git.push-result")) {
            answer(event.detail());
        }
        if (line.time().isAfter(now.minus(LOOKS_BACK))) {
            addRecent(line);
        }
    }

    /// The name of the sandbox that a line is about; its session where that is not known.
    public String nameOf(AuditLine line) {
        String session = line.event().session();
        return names.getOrDefault(session, session);
    }

    private void addRecent(AuditLine line) {
        AuditEvent event = line.event();
        boolean deny = event.decision().equals("deny");
        if (!event.decision().isEmpty() && !event.session().isEmpty()) {
            Session session =
                    sessions.computeIfAbsent(event.session(), _ -> new Session(nameOf(line)));
            session.allowed += deny ? 0 : 1;
            session.denied += deny ? 1 : 0;
            if (deny) {
                session.denials.add(line);
            }
        }
        String host = host(event.detail());
        if (host.isEmpty()) {
            return;
        }
        HostTraffic traffic = hosts.computeIfAbsent(host, _ -> new HostTraffic());
        if (!event.decision().isEmpty()) {
            traffic.decided(line.time().getEpochSecond(), deny);
        } else if (event.kind().equals("egress.end")) {
            traffic.moved(line.time().getEpochSecond(), event.detail());
        }
    }

    private static String host(Map<String, String> facts) {
        String host = facts.getOrDefault("host", facts.getOrDefault("name", ""));
        String repo = facts.getOrDefault("repo", "");
        return host.isEmpty() && repo.contains("/") ? repo.substring(0, repo.indexOf('/')) : host;
    }

    private void addPush(AuditLine line) {
        Map<String, String> facts = line.event().detail();
        for (int i = 1; facts.containsKey("ref-" + i); i++) {
            if (pushes.size() == PUSHES_MAX) {
                pushes.removeLast();
            }
            pushes.addFirst(push(line, i));
        }
    }

    private Push push(AuditLine line, int number) {
        Map<String, String> facts = line.event().detail();
        String reason = facts.getOrDefault("reason-" + number, "");
        String sentence = Refusal.of(reason).map(Refusal::sentence).orElse("");
        return new Push(
                line.time().toString(),
                nameOf(line),
                facts.getOrDefault("id", ""),
                facts.getOrDefault("repo", ""),
                facts.getOrDefault("ref-" + number, ""),
                facts.getOrDefault("old-" + number, ""),
                facts.getOrDefault("new-" + number, ""),
                line.event().decision(),
                reason,
                sentence,
                facts.getOrDefault("detail-" + number, ""),
                "");
    }

    /// The result counts refs and does not name them: a push is told as taken only if all were.
    private void answer(Map<String, String> facts) {
        String id = facts.getOrDefault("id", "");
        String said = facts.getOrDefault("refused", "").equals("0") ? "taken" : "refused";
        List<Push> all = new ArrayList<>(pushes);
        all.replaceAll(push -> !id.isEmpty() && push.id().equals(id) ? push.answered(said) : push);
        pushes.clear();
        pushes.addAll(all);
    }

    public Activity.View view(Instant now) {
        List<SandboxView> each = new ArrayList<>();
        sessions.forEach(
                (id, session) ->
                        each.add(
                                new SandboxView(
                                        id,
                                        names.getOrDefault(id, id),
                                        session.allowed,
                                        session.denied,
                                        newest(session.denials.list()))));
        List<HostTraffic.View> busiest = new ArrayList<>();
        hosts.forEach((host, use) -> busiest.add(use.view(host, now.getEpochSecond())));
        busiest.removeIf(use -> use.allowed() + use.denied() == 0);
        busiest.sort(
                Comparator.comparingLong((HostTraffic.View use) -> use.allowed() + use.denied())
                        .reversed());
        return new Activity.View(each, busiest, List.copyOf(pushes));
    }

    private static List<DenialGroups.Denial> newest(List<DenialGroups.Denial> all) {
        return all.subList(Math.max(0, all.size() - DENIALS_MAX), all.size());
    }

    /// Forgets what was not used for the longest time.
    private static final class Recent<V> extends LinkedHashMap<String, V> {
        private static final long serialVersionUID = 1L;
        private final int max;

        Recent(int max) {
            super(16, 0.75f, true);
            this.max = max;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > max;
        }
    }

    /// What was asked of one host over the last day.
    static final class HostTraffic {
        private static final int MINUTE_SECONDS = 60;
        private static final int HOUR_SECONDS = 3_600;

        private final Series minutes = new Series(MINUTE_SECONDS, 60);
        private final Series allowed = new Series(HOUR_SECONDS, 24);
        private final Series denied = new Series(HOUR_SECONDS, 24);
        private final Series bytesUp = new Series(HOUR_SECONDS, 24);
        private final Series bytesDown = new Series(HOUR_SECONDS, 24);

        /// All but the minutes are of the last 24 hours.
        ///
        /// @param minutes decisions in each of the last 60 minutes, oldest first
        /// @param hours likewise in each of the last 24 hours
        public record View(
                String host,
                long allowed,
                long denied,
                long bytesUp,
                long bytesDown,
                List<Long> minutes,
                List<Long> hours) {}

        void decided(long second, boolean deny) {
            minutes.add(second, 1);
            (deny ? denied : allowed).add(second, 1);
        }

        void moved(long second, Map<String, String> facts) {
            bytesUp.add(second, number(facts, "bytes-up"));
            bytesDown.add(second, number(facts, "bytes-down"));
        }

        HostTraffic.View view(String host, long now) {
            List<Long> yes = allowed.until(now);
            List<Long> no = denied.until(now);
            return new HostTraffic.View(
                    host,
                    allowed.total(now),
                    denied.total(now),
                    bytesUp.total(now),
                    bytesDown.total(now),
                    minutes.until(now),
                    IntStream.range(0, yes.size()).mapToObj(i -> yes.get(i) + no.get(i)).toList());
        }

        private static long number(Map<String, String> facts, String key) {
            try {
                return Math.max(0, Long.parseLong(facts.getOrDefault(key, "0")));
            } catch (NumberFormatException _) {
                return 0;
            }
        }

        /// Sums of the last so many spans of time; what is older is forgotten.
        private static final class Series {
            private final long spanSeconds;
            private final long[] sums;
            private long newest = Long.MIN_VALUE / 2;

            Series(long spanSeconds, int spans) {
                this.spanSeconds = spanSeconds;
                this.sums = new long[spans];
            }

            void add(long second, long more) {
                long span = Math.floorDiv(second, spanSeconds);
                forget(span);
                if (span > newest - sums.length) {
                    sums[at(span)] += more;
                }
            }

            /// Oldest first; the last is the span of this second.
            List<Long> until(long second) {
                forget(Math.floorDiv(second, spanSeconds));
                List<Long> list = new ArrayList<>();
                for (int i = 1; i <= sums.length; i++) {
                    list.add(sums[at(newest + i)]);
                }
                return list;
            }

            long total(long second) {
                return until(second).stream().mapToLong(Long::longValue).sum();
            }

            private void forget(long span) {
                if (span - newest >= sums.length) {
                    Arrays.fill(sums, 0);
                } else {
                    for (long old = newest + 1; old <= span; old++) {
                        sums[at(old)] = 0;
                    }
                }
                newest = Math.max(newest, span);
            }

            private int at(long span) {
                return Math.floorMod(span, sums.length);
            }
        }
    }
}
