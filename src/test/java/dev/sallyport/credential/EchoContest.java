package dev.sallyport.credential;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/// The search for an echo, for benchmarks: with the sieve and without.
public final class EchoContest {
    private EchoContest() {}

    public static Predicate<ByteBuf> sieved(String secret) {
        return search(needles(secret));
    }

    public static Predicate<ByteBuf> unsieved(String secret) {
        return search(needles(secret).unsieved());
    }

    private static Needles needles(String secret) {
        return Needles.of(Secret.of(secret.getBytes(StandardCharsets.US_ASCII)));
    }

    private static Predicate<ByteBuf> search(Needles needles) {
        EchoSearch search = new EchoSearch(needles, 0);
        return piece -> {
            boolean found = search.finds(piece, piece.readerIndex(), piece.readableBytes());
            search.suspiciousFrom(1);
            return found;
        };
    }
}
