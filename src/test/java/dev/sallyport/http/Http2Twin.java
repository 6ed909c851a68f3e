package dev.sallyport.http;

import dev.sallyport.audit.AuditEvent;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A client that speaks HTTP/2, with windows that never hold anything back.
final class Http2Twin extends Twin {
    private static final Pattern FIELD = Pattern.compile("([:a-z0-9-]+): ([^,\\]]*)");
    private static final int WINDOW_BYTES = 1 << 24;

    private final Http2Wire wire = new Http2Wire(new Opening(), LIMITS, alloc);
    private final List<Http2Wire.Frame> received = new ArrayList<>();
    private final Set<Integer> gone = new HashSet<>();
    private int stream = -1;

    Http2Twin() {
        wire.frame(
                Http2Wire.SETTINGS, 0, 0, Unpooled.buffer().writeShort(4).writeInt(WINDOW_BYTES));
        wire.frame(Http2Wire.WINDOW_UPDATE, 0, 0, Unpooled.buffer().writeInt(WINDOW_BYTES));
        wire.frames();
    }

    @Override
    EmbeddedChannel channel() {
        return wire.channel;
    }

    @Override
    RequestQuota quota() {
        return wire.quota;
    }

    @Override
    List<AuditEvent> recorded() {
        return wire.recorded;
    }

    @Override
    void recording(Supplier<CompletableFuture<Void>> outcome) {
        wire.recording = outcome;
    }

    @Override
    void ask(String method, String path, String... fields) {
        head(method, path, Http2Wire.END_STREAM, fields);
    }

    @Override
    void post(String path, int length, String... fields) {
        List<String> all = new ArrayList<>(List.of(fields));
        if (length >= 0) {
            all.addAll(List.of("content-length", Integer.toString(length)));
        }
        head("POST", path, 0, all.toArray(String[]::new));
    }

    private void head(String method, String path, int flags, String... fields) {
        List<Http2Wire.Field> all = Http2Wire.get(path);
        all.set(0, new Http2Wire.Field(":method", method));
        for (int i = 0; i < fields.length; i += 2) {
            all.add(new Http2Wire.Field(fields[i], fields[i + 1]));
        }
        stream += 2;
        wire.head(stream, all, flags);
    }

    @Override
    void body(String piece) {
        for (int at = 0; at < piece.length(); at += 16_000) {
            int end = Math.min(piece.length(), at + 16_000);
            wire.data(stream, piece.substring(at, end), 0);
        }
    }

    @Override
    void bodyEnd() {
        wire.data(stream, "", Http2Wire.END_STREAM);
    }

    @Override
    void trailers(String name, String value) {
        wire.head(stream, List.of(new Http2Wire.Field(name, value)), Http2Wire.END_STREAM);
    }

    /// Fields after a body that is not over.
    @Override
    void malformed() {
        wire.head(stream, List.of(new Http2Wire.Field("x-sum", "1")), 0);
    }

    @Override
    void goAway() {
        gone.add(stream);
        wire.reset(stream);
    }

    @Override
    void seconds(int seconds) {
        wire.seconds(seconds);
    }

    @Override
    boolean isStopped() {
        received.addAll(wire.frames());
        return received.stream()
                .anyMatch(f -> f.stream() == stream && f.type() == Http2Wire.RST_STREAM);
    }

    @Override
    List<Answer> answers() {
        received.addAll(wire.frames());
        List<Answer> answers = new ArrayList<>();
        for (int i = 1; i <= stream; i += 2) {
            answers.add(answer(i));
        }
        return answers;
    }

    private Answer answer(int number) {
        List<String> statuses = new ArrayList<>();
        Map<String, String> fields = new TreeMap<>();
        StringBuilder body = new StringBuilder();
        boolean over = !wire.isOpen() || gone.contains(number) || isStalled();
        String end = over ? "cut" : "pending";
        for (Http2Wire.Frame frame : received) {
            if (frame.stream() != number) {
                continue;
            }
            switch (frame.type()) {
                case Http2Wire.HEADERS -> {
                    Matcher field = FIELD.matcher(frame.text());
                    while (field.find()) {
                        fields.put(field.group(1), field.group(2));
                    }
                    statuses.add(fields.getOrDefault(":status", ""));
                    fields.remove(":status");
                }
                case Http2Wire.DATA -> body.append(frame.text());
                case Http2Wire.RST_STREAM -> end = end.equals("whole") ? end : "cut";
                default -> {}
            }
            end = frame.ends() && frame.type() <= Http2Wire.HEADERS ? "whole" : end;
        }
        return new Answer(String.join(" ", statuses), fields, body.toString(), end);
    }

    @Override
    public void close() {
        wire.close();
    }
}
