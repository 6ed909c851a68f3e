package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// A situation that happens on both wires: the door, the client and the record must see the same.
/// Afterwards no place is taken and no buffer is left.
///
/// @param seen by all of them
record Situation(String name, Consumer<Twin> script, List<String> seen) {
    /// Fields by which a wire frames an answer, and what is new each time.
    private static final Set<String> OF_A_WIRE =
            Set.of("connection", "transfer-encoding", "sallyport-id");

    static Situation when(String name, Consumer<Twin> script, String... seen) {
        return new Situation(name, script, List.of(seen));
    }

    void looksTheSame() {
        List<Map<String, String>> first = happens(new Http1Twin());
        List<Map<String, String>> second = happens(new Http2Twin());
        assertThat(second).as("fields of the answers").isEqualTo(first);
    }

    private List<Map<String, String>> happens(Twin twin) {
        String wire = twin.getClass().getSimpleName();
        List<Map<String, String>> fields;
        try (twin) {
            script.accept(twin);
            assertThat(twin.seen()).as(wire).isEqualTo(seen);
            assertThat(twin.quota().inFlight()).as("places, " + wire).isZero();
            fields = twin.answers().stream().map(Situation::fields).toList();
            if (twin.answers().stream().allMatch(Twin.Answer::isWhole)) {
                assertThat(twin.bytesHeld()).as("buffers at rest, " + wire).isZero();
            }
        }
        assertThat(twin.bytesHeld()).as("buffers, " + wire).isZero();
        return fields;
    }

    private static Map<String, String> fields(Twin.Answer answer) {
        Map<String, String> fields = new TreeMap<>(answer.fields());
        fields.keySet().removeAll(OF_A_WIRE);
        return fields;
    }

    /// A request that is answered when it is complete.
    static void asked(Twin twin, String method, Consumer<Responder> answer) {
        twin.onEnd = answer;
        twin.ask(method, "/");
    }

    static void pieces(Twin twin, Responder responder, int status, String... pieces) {
        responder.start(status, Map.of(), OptionalLong.empty());
        for (String piece : pieces) {
            responder.write(twin.bytes(piece));
        }
        responder.end();
    }

    @Override
    public String toString() {
        return name;
    }
}
