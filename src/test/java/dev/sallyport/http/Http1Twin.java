package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// A client that speaks HTTP/1.1.
final class Http1Twin extends Twin {
    private final Wire wire = new Wire(new Opening(), LIMITS, HeadForm.WEB, alloc);
    private final StringBuilder received = new StringBuilder();
    private final List<String> methods = new ArrayList<>();
    private boolean chunked;

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
        head(method, path, "", fields);
    }

    @Override
    void post(String path, int length, String... fields) {
        chunked = length < 0;
        String framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + length;
        head("POST", path, framing + "\r\n", fields);
    }

    private void head(String method, String path, String framing, String... fields) {
        StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        head.append("Host: api.example.com\r\n").append(framing);
        for (int i = 0; i < fields.length; i += 2) {
            head.append(fields[i]).append(": ").append(fields[i + 1]).append("\r\n");
        }
        methods.add(method);
        send(head + "\r\n");
    }

    private void send(String text) {
        if (wire.isOpen()) {
            wire.send(text);
        }
    }

    @Override
    void body(String piece) {
        send(chunked ? Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n" : piece);
    }

    @Override
    void bodyEnd() {
        if (chunked) {
            send("0\r\n\r\n");
        }
    }

    @Override
    void trailers(String name, String value) {
        send("0\r\n" + name + ": " + value + "\r\n\r\n");
    }

    @Override
    void malformed() {
        send("no size\r\n");
    }

    @Override
    void goAway() {
        var _ = wire.channel.close();
        wire.channel.runPendingTasks();
    }

    @Override
    void seconds(int seconds) {
        wire.seconds(seconds);
    }

    @Override
    boolean isStopped() {
        wire.channel.runPendingTasks();
        return !wire.isOpen();
    }

    @Override
    List<Answer> answers() {
        wire.channel.runPendingTasks();
        received.append(wire.answered());
        List<Answer> answers = new ArrayList<>();
        String rest = received.toString();
        for (String method : methods) {
            String interim = "";
            if (rest.startsWith("HTTP/1.1 100 ")) {
                interim = "100 ";
                rest = rest.substring(rest.indexOf("\r\n\r\n") + 4);
            }
            int end = rest.indexOf("\r\n\r\n");
            if (end < 0) {
                answers.add(new Answer(interim.strip(), Map.of(), "", unfinished()));
                continue;
            }
            Map<String, String> fields = fields(rest.substring(0, end));
            String status = rest.substring(9, 12);
            Body body = body(method, status, fields, rest.substring(end + 4));
            rest = body.rest();
            answers.add(
                    new Answer(
                            interim + status,
                            fields,
                            body.text(),
                            body.whole() ? "whole" : unfinished()));
        }
        assertThat(rest).as("more than was asked for").isEmpty();
        return answers;
    }

    private String unfinished() {
        return wire.isOpen() ? "pending" : "cut";
    }

    private static Map<String, String> fields(String head) {
        Map<String, String> fields = new TreeMap<>();
        head.lines()
                .skip(1)
                .forEach(
                        line -> {
                            String name = line.substring(0, line.indexOf(':'));
                            fields.put(
                                    name.toLowerCase(Locale.ROOT),
                                    line.substring(name.length() + 2));
                        });
        return fields;
    }

    private record Body(String text, boolean whole, String rest) {}

    private static Body body(
            String method, String status, Map<String, String> fields, String text) {
        if (method.equals("HEAD") || status.equals("204") || status.equals("304")) {
            return new Body("", true, text);
        }
        if (!fields.containsKey("transfer-encoding")) {
            int length = Integer.parseInt(fields.getOrDefault("content-length", "0"));
            int there = Math.min(length, text.length());
            return new Body(text.substring(0, there), there == length, text.substring(there));
        }
        StringBuilder body = new StringBuilder();
        int at = 0;
        while (text.indexOf("\r\n", at) > 0) {
            int line = text.indexOf("\r\n", at);
            int size = Integer.parseInt(text.substring(at, line), 16);
            at = line + 2 + size + 2;
            if (size == 0) {
                return new Body(body.toString(), true, text.substring(at));
            }
            body.append(text, line + 2, at - 2);
        }
        return new Body(body.toString(), false, "");
    }

    @Override
    public void close() {
        wire.close();
    }
}
