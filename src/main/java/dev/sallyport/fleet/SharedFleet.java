package dev.sallyport.fleet;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.RecordBytes;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What several gateways share. This process has a copy of all of it in memory; before it changes
/// anything, it sees what others have changed.
final class SharedFleet implements FleetStore {
    private static final System.Logger LOG = System.getLogger(SharedFleet.class.getName());

    /// A host is there before what is its, and goes after it has passed that on.
    private static final Comparator<SharedRecords.Row> ORDER =
            Comparator.comparing((SharedRecords.Row row) -> row.value().isEmpty())
                    .thenComparing(row -> !row.kind().equals(HOSTS));

    private final SharedRecords records;
    private final AgeKey key;

    /// Of the copy; whoever only reads does not take it.
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<String, Copy<?>> copies = new TreeMap<>();

    /// What cannot be read, as `kind/name`. It is not there until it can; with every look it is
    /// tried again.
    private final Map<String, SharedRecords.Row> aside = new TreeMap<>();

    /// What has changed, for whoever asks next.
    private final Set<String> changed = new TreeSet<>();

    /// What is seen when the change that is under way is there to stay.
    private final List<Runnable> staged = new ArrayList<>();

    private SharedRecords.@Nullable Turn turn;
    private long seen = SharedRecords.NOTHING;

    SharedFleet(SharedRecords records, AgeKey key) {
        this.records = records;
        this.key = key;
    }

    /// The records of one kind.
    private final class Copy<T> implements Shelf.Keeping<T> {
        private final String kind;
        private final RecordBytes<T> bytes;
        private final Shelf.Check<T> check;
        private final Shelf<T> shelf = new Shelf<>(this);

        Copy(String kind, RecordBytes<T> bytes, Shelf.Check<T> check) {
            this.kind = kind;
            this.bytes = bytes;
            this.check = check;
        }

        @Override
        public void write(String name, T value, Runnable kept) throws IOException {
            if (aside.containsKey(kind + "/" + name)) {
                throw new ConfigException(
                        "%s/%s of %s cannot be read, and is not replaced."
                                .formatted(kind, name, shown()),
                        "Install the same version of Sallyport on all gateways, with the same key for secrets.");
            }
            present().write(kind, name, bytes.of(value));
            staged.add(kept);
        }

        @Override
        public void remove(String name, Runnable kept) throws IOException {
            present().remove(kind, name);
            staged.add(kept);
            staged.add(() -> aside.remove(kind + "/" + name));
        }

        void see(SharedRecords.Row row) throws IOException {
            if (row.value().isEmpty()) {
                shelf.hide(row.name());
            } else {
                T value = bytes.read(row.value().get(), kind + "/" + row.name() + " of " + shown());
                check.of(row.name(), value);
                shelf.show(row.name(), value);
            }
        }

        void seeOnly(Set<String> names) {
            shelf.all().keySet().retainAll(names);
        }

        void writeAgain() throws IOException {
            for (Map.Entry<String, T> each : shelf.all().entrySet()) {
                shelf.write(each.getKey(), each.getValue());
            }
        }
    }

    @Override
    public String shown() {
        return "the session store";
    }

    @Override
    public <T> Shelf<T> shelf(String kind, Class<T> type, Shelf.Check<T> check) throws IOException {
        lock.lock();
        try {
            Optional<AgeKey> sealing = SECRET.contains(kind) ? Optional.of(key) : Optional.empty();
            Copy<T> copy = new Copy<>(kind, new RecordBytes<>(sealing, type), check);
            copies.put(kind, copy);
            see(records.since(SharedRecords.NOTHING), true);
            return copy.shelf;
        } finally {
            lock.unlock();
        }
    }

    private SharedRecords.Turn present() {
        SharedRecords.Turn now = turn;
        if (now == null) {
            throw new IllegalStateException("this is written within a change");
        }
        return now;
    }

    @Override
    public <T> T change(Change<T> change) throws IOException, RefusedException {
        lock.lock();
        try {
            return turn == null ? begin(change) : change.run();
        } finally {
            lock.unlock();
        }
    }

    /// A refusal ends the work as it should be ended: what counts wrong attempts is kept.
    private record Outcome<T>(Optional<T> result, Optional<RefusedException> refused) {}

    private <T> T begin(Change<T> change) throws IOException, RefusedException {
        Outcome<T> outcome;
        try {
            outcome =
                    records.alone(
                            now -> {
                                staged.clear();
                                see(now.since(seen), false);
                                turn = now;
                                Outcome<T> came = run(change);
                                staged.add(() -> seen = now.version());
                                return came;
                            });
        } finally {
            turn = null;
        }
        staged.forEach(Runnable::run);
        if (outcome.refused().isPresent()) {
            throw outcome.refused().get();
        }
        return outcome.result().orElseThrow();
    }

    private static <T> Outcome<T> run(Change<T> change) throws IOException {
        try {
            return new Outcome<>(Optional.of(change.run()), Optional.empty());
        } catch (RefusedException e) {
            return new Outcome<>(Optional.empty(), Optional.of(e));
        }
    }

    @Override
    public void remember(SignedRequest.Parts request, Instant now)
            throws IOException, RefusedException {
        SharedRecords.Remembered how =
                present()
                        .remember(
                                request.host().value(),
                                request.nonce(),
                                request.time(),
                                Nonces.HOST_MAX);
        switch (how) {
            case NEW -> {}
            case BEFORE -> throw new RefusedException(FleetRefusal.REPLAYED);
            case TOO_MANY -> throw new RefusedException(FleetRefusal.TOO_MANY);
        }
    }

    /// What it has sent is remembered where everybody sees it.
    @Override
    public void returned(HostId host, Instant newest) {}

    @Override
    public void forget(HostId host) throws IOException {
        present().forget(host.value());
    }

    @Override
    public Set<String> refresh() throws IOException {
        lock.lock();
        try {
            see(records.since(seen), false);
            Set<String> told = new TreeSet<>(changed);
            changed.clear();
            return told;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isAside(String name) {
        lock.lock();
        try {
            return aside.containsKey(name);
        } finally {
            lock.unlock();
        }
    }

    /// One that cannot be read keeps no other from being seen.
    ///
    /// @param opening whether this process knows no secrets yet, and would make new ones
    private void see(SharedRecords.Changes changes, boolean opening) throws IOException {
        Map<String, SharedRecords.Row> before = new TreeMap<>(aside);
        aside.clear();
        List<SharedRecords.Row> rows = new ArrayList<>();
        if (!changes.whole()) {
            rows.addAll(before.values());
        }
        rows.addAll(changes.rows());
        rows.sort(ORDER);
        Map<String, Set<String>> names = new TreeMap<>();
        for (SharedRecords.Row row : rows) {
            Copy<?> copy = copies.get(row.kind());
            if (copy != null) {
                boolean known = row.equals(before.get(name(row)));
                if (see(copy, row, opening, known) || !known) {
                    changed.add(name(row));
                }
                names.computeIfAbsent(row.kind(), _ -> new TreeSet<>()).add(row.name());
            }
        }
        if (changes.whole()) {
            copies.forEach((kind, copy) -> copy.seeOnly(names.getOrDefault(kind, Set.of())));
        }
        seen = changes.version();
    }

    private static String name(SharedRecords.Row row) {
        return row.kind() + "/" + row.name();
    }

    /// Whether it could be read. The authority stays what it was before.
    private boolean see(Copy<?> copy, SharedRecords.Row row, boolean opening, boolean known)
            throws IOException {
        try {
            copy.see(row);
            aside.remove(name(row));
            return true;
        } catch (IOException | RuntimeException e) {
            if (opening && SECRET.contains(row.kind())) {
                throw e;
            }
            if (!row.kind().equals(AUTHORITY)) {
                copy.shelf.hide(row.name());
            }
            aside.put(name(row), row);
            if (!known) {
                LOG.log(System.Logger.Level.ERROR, "set aside, cannot be read: " + name(row), e);
            }
            return false;
        }
    }

    @Override
    public void seal() throws IOException {
        update(
                () -> {
                    for (String kind : SECRET) {
                        Copy<?> copy = copies.get(kind);
                        if (copy != null) {
                            copy.writeAgain();
                        }
                    }
                    return seen;
                });
    }
}
