package dev.sallyport.warden;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/// One lock per sandbox name: what happens to one sandbox happens in order, and different ones do
/// not wait for each other.
final class NameLocks {
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    private static final class Entry {
        private final ReentrantLock lock = new ReentrantLock();
        private int users;
    }

    /// Work that may be refused.
    interface Work<T> {
        T run() throws OperationException;
    }

    <T> T with(String name, Work<T> work) throws OperationException {
        Entry entry =
                entries.compute(
                        name,
                        (_, old) -> {
                            Entry current = old == null ? new Entry() : old;
                            current.users++;
                            return current;
                        });
        entry.lock.lock();
        try {
            return work.run();
        } finally {
            entry.lock.unlock();
            entries.computeIfPresent(name, (_, current) -> --current.users == 0 ? null : current);
        }
    }
}
