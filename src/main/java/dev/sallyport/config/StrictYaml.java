package dev.sallyport.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// Reads the part of YAML that a person can check by eye: one document, no aliases, anchors, tags
/// or directives.
final class StrictYaml {
    static final int BYTES_MAX = 1 << 20;
    private static final int DEPTH_MAX = 16;

    private final Path file;
    private int documents;
    private int depth;

    private StrictYaml(Path file) {
        this.file = file;
    }

    /// A policy file, which nobody else may have written. One that is not there says nothing.
    static YamlMapping policy(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return YamlMapping.empty(file, "");
        }
        Ownership.requireUnforgeableFile(file);
        requireSize(file, Files.size(file));
        return parse(file, Files.readAllBytes(file)).orElse(YamlMapping.empty(file, ""));
    }

    /// A file that comes with the program.
    static byte[] bundled(String file) throws IOException {
        try (InputStream in = StrictYaml.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new ConfigException(file + " is not in this program.", "Install it again.");
            }
            return in.readAllBytes();
        }
    }

    /// Empty when there is nothing in it.
    ///
    /// @param file what complaints call it
    static Optional<YamlMapping> parse(Path file, byte[] content) throws ConfigException {
        requireSize(file, content.length);
        String text = text(file, content);
        LoadSettings settings =
                LoadSettings.builder().setLabel("policy").setCodePointLimit(BYTES_MAX).build();
        try {
            StrictYaml strict = new StrictYaml(file);
            for (Event event : new Parse(settings).parseString(text)) {
                strict.check(event);
            }
            var root = new Compose(settings).composeString(text);
            return root.isEmpty()
                    ? Optional.empty()
                    : Optional.of(YamlMapping.of(file, "", root.get()));
        } catch (MarkedYamlEngineException e) {
            throw strictProblem(file, e.getProblemMark(), "this is not YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            throw strictProblem(file, Optional.empty(), "this is not YAML: " + e.getMessage());
        }
    }

    /// One that must say something.
    static YamlMapping required(Path file, byte[] content) throws ConfigException {
        return parse(file, content)
                .orElseThrow(() -> new ConfigException(file + " is empty.", "Fill it."));
    }

    private static void requireSize(Path file, long bytes) throws ConfigException {
        if (bytes > BYTES_MAX) {
            throw new ConfigException(file + " is larger than 1 MiB.", "Make it shorter.");
        }
    }

    private static String text(Path file, byte[] content) throws ConfigException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        } catch (CharacterCodingException e) {
            throw new ConfigException(file + " is not UTF-8 text.", "Save it as UTF-8.");
        }
    }

    private void check(Event event) throws ConfigException {
        if (event instanceof DocumentStartEvent start) {
            documents++;
            refuse(documents > 1, event, "there is a second document");
            refuse(start.getSpecVersion().isPresent(), event, "there is a directive");
        }
        refuse(
                event instanceof AliasEvent,
                event,
                "there is an alias (*name); put text that begins with * in quotes");
        if (event instanceof NodeEvent node) {
            refuse(node.getAnchor().isPresent(), event, "there is an anchor (&name)");
        }
        if (event instanceof ScalarEvent scalar) {
            refuse(scalar.getTag().isPresent(), event, "there is a tag (!name)");
        }
        if (event instanceof CollectionStartEvent start) {
            refuse(start.getTag().isPresent(), event, "there is a tag (!name)");
        }
        countDepth(event);
    }

    private void countDepth(Event event) throws ConfigException {
        switch (event.getEventId()) {
            case MappingStart, SequenceStart -> depth++;
            case MappingEnd, SequenceEnd -> depth--;
            default -> {}
        }
        refuse(depth > DEPTH_MAX, event, "it is nested too deeply");
    }

    private void refuse(boolean bad, Event at, String what) throws ConfigException {
        if (bad) {
            throw strictProblem(file, at.getStartMark(), what);
        }
    }

    private static ConfigException strictProblem(Path file, Optional<Mark> at, String what) {
        String line = at.map(mark -> ":" + (mark.getLine() + 1)).orElse("");
        return new ConfigException(
                file + line + ": " + what + ".",
                "Use plain mappings, lists, text, numbers, true and false only.");
    }
}
