package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.fixture.Await;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What a sidecar can get by asking for connections.
class LineDeskTest {
    private static final String SESSION = "00000000000000aa";

    private final List<Message.Line> answers = new CopyOnWriteArrayList<>();
    private final List<FileDescriptor> handed = new CopyOnWriteArrayList<>();
    private final AtomicInteger connected = new AtomicInteger();
    private final CountDownLatch slow = new CountDownLatch(1);

    /// Loads what makes sockets.
    @BeforeAll
    static void load() {
        Epoll.ensureAvailability();
    }

    @AfterEach
    void close() throws IOException {
        slow.countDown();
        for (FileDescriptor descriptor : handed) {
            descriptor.close();
        }
    }

    private void answer(Message.Line line, List<FileDescriptor> descriptors) {
        handed.addAll(descriptors);
        answers.add(line);
    }

    private FileDescriptor connect() {
        connected.incrementAndGet();
        return LinuxSocket.newSocketStream(false);
    }

    private FileDescriptor connectSlowly() throws IOException {
        try {
            slow.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return connect();
    }

    @Test
    void eachWishIsOneConnectionAndTheNextComesAfterTheAnswer() {
        LineDesk desk = new LineDesk(SESSION, this::connect);

        for (int wish = 1; wish <= 3; wish++) {
            int answered = wish;
            assertThat(desk.wanted(this::answer)).isTrue();
            Await.until("the answer", () -> answers.size() == answered);
        }

        assertThat(connected).hasValue(3);
        assertThat(handed).hasSize(3).allMatch(FileDescriptor::isOpen);
        assertThat(answers).containsOnly(new Message.Line(SESSION, "", 0, 1));
    }

    @Test
    void whoAsksBeforeTheAnswerIsToldApartAndGetsNothing() {
        LineDesk desk = new LineDesk(SESSION, this::connectSlowly);
        assertThat(desk.wanted(this::answer)).isTrue();

        for (int i = 0; i < 100; i++) {
            assertThat(desk.wanted(this::answer)).isFalse();
        }

        slow.countDown();
        Await.until("the answer to the first", () -> !answers.isEmpty());
        assertThat(connected).hasValue(1);
        assertThat(answers).hasSize(1);
    }

    @Test
    void whyThereIsNoneIsSaidAndItMayBeAskedForAgain() {
        LineDesk desk =
                new LineDesk(
                        SESSION,
                        () -> {
                            throw new IOException("no route to host");
                        });

        assertThat(desk.wanted(this::answer)).isTrue();
        Await.until("the answer", () -> answers.size() == 1);
        assertThat(desk.wanted(this::answer)).isTrue();
        Await.until("the next one", () -> answers.size() == 2);

        assertThat(answers).containsOnly(new Message.Line(SESSION, "no route to host", 0, 0));
        assertThat(handed).isEmpty();
    }

    @Test
    void anErrorIsAnAnswerToo() {
        LineDesk desk =
                new LineDesk(
                        SESSION,
                        () -> {
                            throw new OutOfMemoryError("of the test");
                        });

        assertThat(desk.wanted(this::answer)).isTrue();
        Await.until("the answer", () -> answers.size() == 1);
        assertThat(desk.wanted(this::answer)).as("and it may be asked for again").isTrue();
        Await.until("the next one", () -> answers.size() == 2);

        assertThat(answers)
                .containsOnly(new Message.Line(SESSION, "the connection could not be made", 0, 0));
        assertThat(handed).isEmpty();
    }
}
