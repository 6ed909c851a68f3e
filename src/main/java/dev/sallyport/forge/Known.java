package dev.sallyport.forge;

import dev.sallyport.forge.graphql.Placed;
import dev.sallyport.forge.graphql.RepositoryView;
import dev.sallyport.forge.graphql.Shaping;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// What one session has learned about its repositories at one host, from answers that it got and
/// from questions of the gateway's. It gives nobody a right: each use is judged by the policy of
/// then. With other rights it begins anew, because what is foreign depends on them.
///
/// The number of a repository is kept as it was learned first. A name that comes with another
/// number later was given up and taken by somebody else (G23).
final class Known {
    private static final int REPOSITORIES_MAX = 1_024;
    private static final int NUMBERS_MAX = 2_048;
    private static final int NODES_MAX = 8_192;

    /// A branch can be renamed, and a repository moved.
    private static final Duration FOUND = Duration.ofMinutes(5);

    /// An issue can become a pull request, and what is missing can be made.
    private static final Duration MISSED = Duration.ofSeconds(5);

    private record Place(RepoName repo, long number) {}

    private final Policy policy;
    private final Map<RepoName, Long> repositories = new LinkedHashMap<>();
    private final Memory<Place, Numbered> numbers;
    private final Memory<Place, Long> comments;
    private final Memory<String, Placed> nodes;
    private @Nullable String login;

    /// @param nanos a clock that is never set
    Known(Policy policy, LongSupplier nanos) {
        this.policy = policy;
        this.numbers = new Memory<>(NUMBERS_MAX, nanos);
        this.comments = new Memory<>(NUMBERS_MAX, nanos);
        this.nodes = new Memory<>(NODES_MAX, nanos);
    }

    /// Whether it was learned with these rights. Rights that change are another object.
    boolean isOf(Policy present) {
        return policy.equals(present);
    }

    synchronized Optional<RepoName> repository(long id) {
        return repositories.entrySet().stream()
                .filter(known -> known.getValue() == id)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    synchronized OptionalLong id(RepoName repo) {
        Long id = repositories.get(repo);
        return id == null ? OptionalLong.empty() : OptionalLong.of(id);
    }

    /// Any repository that was seen, for sessions that were granted none by name.
    synchronized Optional<RepoName> anyRepository() {
        return repositories.keySet().stream().findFirst();
    }

    /// @return whether it agrees with what was learned before
    private synchronized boolean number(RepoName repo, long id) {
        Long before = repositories.get(repo);
        if (before == null && repositories.size() < REPOSITORIES_MAX) {
            repositories.put(repo, id);
        }
        return before == null || before == id;
    }

    Optional<Numbered> numbered(RepoName repo, long number) {
        return numbers.get(new Place(repo, number));
    }

    void found(RepoName repo, long number, Numbered what) {
        Duration life = what instanceof Numbered.Pull ? FOUND : MISSED;
        numbers.put(new Place(repo, number), what, life);
    }

    Optional<Long> commented(RepoName repo, long comment) {
        return comments.get(new Place(repo, comment));
    }

    /// @param pull 0 if it is of none
    void commented(RepoName repo, long comment, long pull) {
        comments.put(new Place(repo, comment), pull, pull > 0 ? FOUND : MISSED);
    }

    Optional<Placed> place(String nodeId) {
        return nodes.get(nodeId);
    }

    void place(String nodeId, Placed placed) {
        nodes.put(nodeId, placed, placed instanceof Placed.Elsewhere ? MISSED : FOUND);
    }

    synchronized Optional<String> login() {
        return Optional.ofNullable(login);
    }

    synchronized void login(String name) {
        login = name;
    }

    /// Takes down what one answer says.
    Lesson lesson() {
        return new Lesson();
    }

    /// One answer, by whichever wire.
    final class Lesson implements Learner, Shaping.Learner {
        private boolean contradicts;

        /// Whether the answer is about a repository that has taken the name of another.
        boolean contradicts() {
            return contradicts;
        }

        @Override
        public void repository(RepoName repo, long id) {
            contradicts |= !number(repo, id);
        }

        @Override
        public void numbered(RepositoryView repository, long databaseId) {
            repository(repository.name(), databaseId);
        }

        @Override
        public void pull(RepoName repo, long number, Optional<PullHead> head) {
            found(repo, number, new Numbered.Pull(head));
        }

        @Override
        public void comment(RepoName repo, long comment, long pull) {
            commented(repo, comment, pull);
        }

        /// Of a pull request its branch matters, which is not said here; so it is asked for.
        @Override
        public void node(String nodeId, String type, RepoName repo) {
            RepositoryView view = new RepositoryView(repo, id(repo));
            switch (type) {
                case "Repository" -> place(nodeId, new Placed.Repository(view));
                case "Issue" -> place(nodeId, new Placed.Issue(view));
                default -> {}
            }
        }

        @Override
        public void placed(String nodeId, Placed placed) {
            place(nodeId, placed);
        }
    }

    /// Facts that are kept for a while, and not too many of them: the oldest go first. Used from
    /// event loops and workers.
    private static final class Memory<K, V> {
        private record Entry<V>(V fact, long untilNanos) {}

        private final int entriesMax;
        private final LongSupplier nanos;
        private final Map<K, Entry<V>> entries = new LinkedHashMap<>();

        /// @param nanos a clock that is never set
        Memory(int entriesMax, LongSupplier nanos) {
            this.entriesMax = entriesMax;
            this.nanos = nanos;
        }

        synchronized void put(K key, V fact, Duration life) {
            entries.remove(key);
            entries.put(key, new Entry<>(fact, nanos.getAsLong() + life.toNanos()));
            if (entries.size() > entriesMax) {
                entries.remove(entries.keySet().iterator().next());
            }
        }

        synchronized Optional<V> get(K key) {
            Entry<V> entry = entries.get(key);
            if (entry == null) {
                return Optional.empty();
            }
            if (nanos.getAsLong() - entry.untilNanos() >= 0) {
                entries.remove(key);
                return Optional.empty();
            }
            return Optional.of(entry.fact());
        }
    }
}
