package dev.sallyport.egress;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The hello is arriving. The whole of it has one deadline, however the bytes are spread.
final class Greeting implements SecureConnection.State {
    private final SecureConnection connection;
    private final HelloParser parser;
    private @Nullable Future<?> deadline;

    Greeting(SecureConnection connection) {
        this.connection = connection;
        this.parser = new HelloParser(connection.terms().limits().helloBytesMax());
    }

    void start() {
        deadline =
                connection
                        .channel()
                        .eventLoop()
                        .schedule(
                                () -> bad(ClientHello.Flaw.TOO_SLOW),
                                connection.terms().limits().helloSecondsMax(),
                                TimeUnit.SECONDS);
    }

    @Override
    public void arrived(ByteBuf bytes) {
        switch (parser.read(bytes)) {
            case ClientHello.NeedMore() -> connection.channel().read();
            case ClientHello.Hello hello -> connection.greeted(hello);
            case ClientHello.Bad(ClientHello.Flaw flaw) -> bad(flaw);
        }
    }

    private void bad(ClientHello.Flaw flaw) {
        if (connection.isIn(this)) {
            connection.refuse(Refusal.BAD_HELLO, Map.of("flaw", flaw.label()));
        }
    }

    @Override
    public void over() {
        Future<?> running = deadline;
        if (running != null) {
            running.cancel(false);
        }
    }
}
