package dev.sallyport.warden;

import dev.sallyport.sandbox.RuntimeKind;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/// One lock per sandbox name: what happens to one sandbox happens in order, and different ones do
/// not wait for each other. And one per runtime, which keeps a sweep and the making of sandboxes
/// apart.
final class NameLocks {
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final Map<RuntimeKind, ReadWriteLock> runtimes = new EnumMap<>(RuntimeKind.class);

    private static final class Entry {
        private final ReentrantLock lock = new ReentrantLock();
        private int users;
    }

    /// Work that may be refused.
    interface Work<T> {
        T run() throws OperationException;
    }

    NameLocks() {
        for (RuntimeKind kind : RuntimeKind.values()) {
            runtimes.put(kind, new ReentrantReadWriteLock());
        }
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
        try {
            return run(entry.lock, work);
        } finally {
            entries.computeIfPresent(name, (_, current) -> --current.users == 0 ? null : current);
        }
    }

    /// For making a sandbox.
    <T> T withShared(RuntimeKind kind, Work<T> work) throws OperationException {
        return run(of(kind).readLock(), work);
    }

    /// For a sweep.
    <T> T withExclusive(RuntimeKind kind, Work<T> work) throws OperationException {
        return run(of(kind).writeLock(), work);
    }

    private ReadWriteLock of(RuntimeKind kind) {
        ReadWriteLock lock = runtimes.get(kind);
        if (lock == null) {
            throw new IllegalStateException("every runtime has a lock");
        }
        return lock;
    }

    private static <T> T run(Lock lock, Work<T> work) throws OperationException {
        lock.lock();
        try {
            return work.run();
        } finally {
            lock.unlock();
        }
    }
}
