package dev.sallyport.sandbox;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// How far the daemon is with what takes long, for people who wait. It knows only what is going on
/// now, and only words of our own.
public final class LongWork {
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    /// How far it is now.
    ///
    /// @param subject the image or the repository that it is about
    /// @param where how far it is
    public void at(String subject, String where) {
        texts.put(subject, where);
    }

    public void over(String subject) {
        texts.remove(subject);
    }

    public Map<String, String> now() {
        return Map.copyOf(texts);
    }
}
