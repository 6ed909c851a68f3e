package dev.sallyport.egress;

import dev.sallyport.config.Limits;
import java.util.function.Consumer;

/// The standard limits with a few of them changed.
final class Egresses {
    private final long[] values;

    private Egresses(long... values) {
        this.values = values;
    }

    static Limits.Egress standardBut(Consumer<Egresses> change) {
        Limits.Egress s = Limits.standard().egress();
        Egresses changed =
                new Egresses(
                        s.bytesUpPerSandboxMax(),
                        s.bytesDownPerSandboxMax(),
                        s.bytesUpPerHostMax(),
                        s.bytesDownPerHostMax(),
                        s.connectionsPerHostMax(),
                        s.helloSecondsMax(),
                        s.tunnelIdleSecondsMax(),
                        s.tunnelSecondsMax(),
                        s.requestsPerSandboxMax());
        change.accept(changed);
        long[] v = changed.values;
        return new Limits.Egress(
                v[0],
                v[1],
                v[2],
                v[3],
                v[8],
                (int) v[4],
                s.namesPerSandboxMax(),
                s.helloBytesMax(),
                (int) v[5],
                (int) v[6],
                (int) v[7]);
    }

    private void set(int index, long value) {
        values[index] = value;
    }

    void bytesUp(long max) {
        set(0, max);
        set(2, max);
    }

    void bytesDown(long max) {
        set(1, max);
        set(3, max);
    }

    void connectionsPerHost(int max) {
        set(4, max);
    }

    void helloSeconds(int max) {
        set(5, max);
    }

    void idleSeconds(int max) {
        set(6, max);
    }

    void tunnelSeconds(int max) {
        set(7, max);
    }

    void requests(long max) {
        set(8, max);
    }
}
