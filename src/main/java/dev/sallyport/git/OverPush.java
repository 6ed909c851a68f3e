package dev.sallyport.git;

import dev.sallyport.policy.Refusal;

/// It is answered or given up.
final class OverPush implements PushState {
    @Override
    public void abort(Refusal reason) {}
}
