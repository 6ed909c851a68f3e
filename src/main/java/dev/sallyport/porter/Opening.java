package dev.sallyport.porter;

import dev.sallyport.channel.ListenerKind;
import java.util.Arrays;
import java.util.List;

/// A socket to be opened in a sandbox's network namespace.
public sealed interface Opening {
    /// One that every sandbox has.
    record Door(ListenerKind kind) implements Opening {
        @Override
        public String text() {
            return kind.name();
        }
    }

    /// One that listens on another port, for hosts of rules.
    record Port(String address, int port) implements Opening {
        @Override
        public String text() {
            return PORT + SEPARATOR + address + SEPARATOR + port;
        }
    }

    /// One that is not bound and not connected: whoever connects it reaches that namespace and
    /// nothing else.
    record Unconnected() implements Opening {
        @Override
        public String text() {
            return UNCONNECTED;
        }
    }

    String PORT = "PORT";
    String UNCONNECTED = "UNCONNECTED";
    String SEPARATOR = "/";

    /// For the command line of the porter process.
    String text();

    static Opening parse(String text) {
        if (text.equals(UNCONNECTED)) {
            return new Unconnected();
        }
        List<String> words = List.of(text.split(SEPARATOR));
        return words.getFirst().equals(PORT)
                ? new Port(words.get(1), Integer.parseInt(words.get(2)))
                : new Door(ListenerKind.valueOf(text));
    }

    static List<Opening> doors() {
        return Arrays.stream(ListenerKind.values()).<Opening>map(Door::new).toList();
    }
}
