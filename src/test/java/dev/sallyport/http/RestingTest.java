package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What an answer costs the connection that it goes over, and what is left of it.
final class RestingTest {
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    static Stream<Supplier<Twin>> twins() {
        return Stream.of(Http1Twin::new, Http2Twin::new);
    }

    private static Responder thinking(Twin twin) {
        twin.onEnd = _ -> {};
        twin.get();
        twin.stall(false);
        return twin.responder();
    }

    private static void nineTimes(Twin twin, Responder responder) {
        for (int i = 0; i < 9; i++) {
            responder.write(twin.bytes("piece"));
        }
    }

    @ParameterizedTest
    @MethodSource("twins")
    void anAnswerThatIsWrittenAtOnceIsFlushedOnce(Supplier<Twin> wire) {
        try (Twin twin = wire.get()) {
            Responder responder = thinking(twin);
            twin.inOneTurn(
                    () -> {
                        responder.start(200, Map.of(), OptionalLong.empty());
                        nineTimes(twin, responder);
                        responder.end();
                    });
            assertThat(twin.flushes()).isEqualTo(1);
            assertThat(twin.answers()).singleElement().matches(Twin.Answer::isWhole);
        }
    }

    @ParameterizedTest
    @MethodSource("twins")
    void whatIsWrittenInOneTurnOfTheLoopIsFlushedOnceAndAtItsEnd(Supplier<Twin> wire) {
        try (Twin twin = wire.get()) {
            Responder responder = thinking(twin);
            responder.start(200, Map.of(), OptionalLong.empty());
            assertThat(twin.flushes()).isEqualTo(1);
            twin.inOneTurn(() -> nineTimes(twin, responder));
            assertThat(twin.flushes()).isEqualTo(2);
            assertThat(twin.answers().getFirst().body()).isEqualTo("piece".repeat(9));
            responder.end();
        }
    }

    @ParameterizedTest
    @MethodSource("twins")
    void aConnectionThatRestsHoldsNothingOfItsLastAnswer(Supplier<Twin> wire)
            throws InterruptedException {
        try (Twin twin = wire.get()) {
            WeakReference<Responder> answered = new WeakReference<>(thinking(twin));
            twin.answer(twin.responder(), 200, "served");
            assertThat(twin.answers()).singleElement().matches(Twin.Answer::isWhole);
            assertThat(twin.bytesHeld()).isZero();
            twin.forget();
            long end = System.nanoTime() + MINUTE_NANOS;
            while (answered.get() != null && System.nanoTime() < end) {
                System.gc();
                Thread.sleep(10);
            }
            assertThat(answered.get()).isNull();
            assertThat(twin.channel().isOpen()).isTrue();
        }
    }
}
