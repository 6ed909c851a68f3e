package dev.sallyport.session;

import dev.sallyport.policy.SessionId;

/// Learns what a session used. Told only after a permitted operation succeeded, because only that
/// counts as activity that keeps a session alive.
public interface UsageMeter {
    void used(SessionId session, Usage used);
}
