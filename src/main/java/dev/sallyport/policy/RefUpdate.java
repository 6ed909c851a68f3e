package dev.sallyport.policy;

/// One command of a push: move `ref` from `before` to `after`.
public record RefUpdate(RefName ref, ObjectName before, ObjectName after) {
    public boolean isCreate() {
        return before.isZero();
    }

    public boolean isDelete() {
        return after.isZero();
    }
}
