package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/// A door that keeps what it was given and answers as the test says.
final class RecordingDoor implements Door {
    final List<RequestHead> heads = new ArrayList<>();
    final List<Responder> responders = new ArrayList<>();
    final List<String> bodies = new ArrayList<>();
    final List<Refusal> aborts = new ArrayList<>();
    final List<Boolean> writability = new ArrayList<>();
    final List<Map<String, String>> trailers = new ArrayList<>();
    int ends;
    BiConsumer<RequestHead, Responder> onOpen = (_, _) -> {};
    BiConsumer<RequestHead, Responder> onEnd = (_, _) -> {};

    static RecordingDoor answeringAtTheEnd() {
        RecordingDoor door = new RecordingDoor();
        door.onEnd = (head, responder) -> answer(responder, "served " + head.path());
        return door;
    }

    static void answer(Responder responder, String text) {
        ByteBuf body = Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
        responder.start(200, Map.of(), OptionalLong.of(body.readableBytes()));
        responder.write(body);
        responder.end();
    }

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        heads.add(head);
        responders.add(responder);
        bodies.add("");
        int index = bodies.size() - 1;
        onOpen.accept(head, responder);
        return new RequestHandler() {
            @Override
            public void body(ByteBuf piece) {
                String text = piece.toString(StandardCharsets.ISO_8859_1);
                piece.release();
                bodies.set(index, bodies.get(index) + text);
            }

            @Override
            public void trailers(Map<String, String> fields) {
                trailers.add(fields);
            }

            @Override
            public void end() {
                ends++;
                onEnd.accept(head, responder);
            }

            @Override
            public void abort(Refusal reason) {
                aborts.add(reason);
            }

            @Override
            public void writabilityChanged(boolean writable) {
                writability.add(writable);
            }
        };
    }
}
