package dev.sallyport.push;

/// The two sizes at the front of an inflated delta: of what it is applied to, and of what results.
final class DeltaHead {
    private static final int HEAD_BYTES_MAX = 20;
    private static final int SHIFT_MAX = 56;

    private final long deltaBytes;
    private final byte[] head = new byte[HEAD_BYTES_MAX];
    private int length;
    private int at;

    DeltaHead(long deltaBytes) {
        this.deltaBytes = deltaBytes;
    }

    void take(byte[] piece, int count) {
        int wanted = Math.min(count, head.length - length);
        System.arraycopy(piece, 0, head, length, wanted);
        length += wanted;
    }

    long deltaBytes() {
        return deltaBytes;
    }

    long resultBytes() {
        at = 0;
        nextSize();
        return nextSize();
    }

    private long nextSize() {
        long size = 0;
        for (int shift = 0; shift < SHIFT_MAX; shift += 7) {
            if (at == length) {
                break;
            }
            int b = head[at++];
            size |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return size;
            }
        }
        throw PushRefusedException.malformed("a delta does not say what it results in");
    }
}
