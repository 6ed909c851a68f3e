package dev.sallyport.config;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.Word;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A mapping of a YAML file, read strictly: each key once, each value of its type. Every complaint
/// names file, line and key.
final class YamlMapping {
    private static final Pattern WHOLE_NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

    private static final int VERSION_MAX = 1_000;

    private final Path file;
    private final String name;
    private final Node node;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private record Entry(Node key, Node value) {}

    private YamlMapping(Path file, String name, Node node) {
        this.file = file;
        this.name = name;
        this.node = node;
    }

    /// One that says nothing.
    static YamlMapping empty(Path file, String name) {
        return new YamlMapping(file, name, new MappingNode(Tag.MAP, List.of(), FlowStyle.BLOCK));
    }

    /// @param name what the mapping is called in complaints; empty for the whole file
    static YamlMapping of(Path file, String name, Node node) throws ConfigException {
        YamlMapping mapping = new YamlMapping(file, name, node);
        if (!(node instanceof MappingNode tuples)) {
            throw mapping.problem(node, name, "is not a mapping.", "Write it as key: value.");
        }
        for (NodeTuple tuple : tuples.getValue()) {
            mapping.add(tuple);
        }
        return mapping;
    }

    private void add(NodeTuple tuple) throws ConfigException {
        if (!(tuple.getKeyNode() instanceof ScalarNode key) || !key.getTag().equals(Tag.STR)) {
            throw problem(tuple.getKeyNode(), name, "has a key that is not text.", "Remove it.");
        }
        Entry before = entries.put(key.getValue(), new Entry(key, tuple.getValueNode()));
        if (before != null) {
            throw problem(
                    key,
                    path(key.getValue()),
                    "is given twice (first on line " + line(before.key()) + ").",
                    "Remove one.");
        }
    }

    void requireOnly(Collection<String> known) throws ConfigException {
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
            if (!known.contains(entry.getKey())) {
                throw problem(
                        entry.getValue().key(),
                        path(entry.getKey()),
                        "is not a known key.",
                        "Known here: " + String.join(", ", known) + ".");
            }
        }
    }

    boolean has(String key) {
        return entries.containsKey(key);
    }

    /// For a mapping whose keys are names that a person chooses.
    Set<String> keys() {
        return Collections.unmodifiableSet(entries.keySet());
    }

    Optional<String> text(String key) throws ConfigException {
        Node value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!(value instanceof ScalarNode scalar) || !scalar.getTag().equals(Tag.STR)) {
            throw problem(value, path(key), "is not text.", "Write it in quotes.");
        }
        return Optional.of(scalar.getValue());
    }

    String requiredText(String key) throws ConfigException {
        Optional<String> text = text(key);
        if (text.isEmpty()) {
            throw problem(node, path(key), "is missing.", "Add it.");
        }
        return text.get();
    }

    /// Text of one form.
    String requiredText(String key, Predicate<String> form, String wrong, String remedy)
            throws ConfigException {
        String text = requiredText(key);
        if (!form.test(text)) {
            throw problem(key, wrong, remedy);
        }
        return text;
    }

    Optional<String> text(String key, Predicate<String> form, String wrong, String remedy)
            throws ConfigException {
        return has(key) ? Optional.of(requiredText(key, form, wrong, remedy)) : Optional.empty();
    }

    /// One of some words.
    <E extends Enum<E> & Word> Optional<E> word(
            String key, Class<E> type, String wrong, String remedy) throws ConfigException {
        return text(key, word -> Word.of(type, word).isPresent(), wrong, remedy)
                .flatMap(word -> Word.of(type, word));
    }

    Optional<Long> number(String key, LimitRange range) throws ConfigException {
        return number(key, range.min(), range.max());
    }

    Optional<Long> number(String key, long min, long max) throws ConfigException {
        Node value = value(key);
        return value == null ? Optional.empty() : Optional.of(number(value, path(key), min, max));
    }

    /// Counts the changes of a file that comes with the program, or stands for one.
    int version() throws ConfigException {
        return number("version", 1, VERSION_MAX)
                .map(Math::toIntExact)
                .orElseThrow(() -> problem("version", "is missing.", "Add it."));
    }

    private long number(Node value, String name, long min, long max) throws ConfigException {
        String range = "between " + min + " and " + max;
        if (!(value instanceof ScalarNode scalar)
                || !scalar.isPlain()
                || !scalar.getTag().equals(Tag.INT)) {
            throw problem(value, name, "is not a whole number.", "Write one " + range + ".");
        }
        boolean positive = WHOLE_NUMBER.matcher(scalar.getValue()).matches();
        long number = positive ? Long.parseLong(scalar.getValue()) : 0;
        if (number < min || number > max) {
            throw problem(
                    value,
                    name,
                    "is out of range; there is no value for unlimited.",
                    "Write a number " + range + ".");
        }
        return number;
    }

    /// Only `true` and `false`; YAML knows more words for them than people agree on.
    Optional<Boolean> flag(String key) throws ConfigException {
        Node value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        boolean plain = value instanceof ScalarNode scalar && scalar.isPlain();
        String word = plain ? ((ScalarNode) value).getValue() : "";
        if (!word.equals("true") && !word.equals("false")) {
            throw problem(value, path(key), "is not true or false.", "Write true or false.");
        }
        return Optional.of(word.equals("true"));
    }

    /// A list of text, each entry once. Absent and empty are not the same.
    ///
    /// @param example what to write, for complaints
    <T> Optional<List<T>> list(String key, Parsing<String, T> parser, String example)
            throws ConfigException {
        return elements(
                key,
                (node, name) -> element(node, name, parser, example),
                "Write it as [\"" + example + "\"].");
    }

    /// A list of whole numbers, each once.
    Optional<List<Long>> numbers(String key, long min, long max) throws ConfigException {
        return elements(
                key,
                (node, name) -> number(node, name, min, max),
                "Write it as [" + min + ", " + max + "].");
    }

    private interface ElementReader<T> {
        T read(Node node, String name) throws ConfigException;
    }

    private <T> Optional<List<T>> elements(String key, ElementReader<T> reader, String remedy)
            throws ConfigException {
        Node value = value(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!(value instanceof SequenceNode sequence)) {
            throw problem(value, path(key), "is not a list.", remedy);
        }
        Set<T> elements = new LinkedHashSet<>();
        for (Node element : sequence.getValue()) {
            String name = path(key) + "[" + elements.size() + "]";
            if (!elements.add(reader.read(element, name))) {
                throw problem(element, name, "is listed twice.", "Remove one.");
            }
        }
        return Optional.of(List.copyOf(elements));
    }

    private <T> T element(Node node, String name, Parsing<String, T> parser, String example)
            throws ConfigException {
        if (!(node instanceof ScalarNode scalar) || !scalar.getTag().equals(Tag.STR)) {
            throw problem(node, name, "is not text.", "Write it in quotes.");
        }
        try {
            return parser.parse(scalar.getValue());
        } catch (MalformedNameException e) {
            throw problem(
                    node,
                    name,
                    "cannot be used: " + e.getMessage() + ".",
                    "Write it as in \"" + example + "\".");
        }
    }

    Optional<YamlMapping> mapping(String key) throws ConfigException {
        Node value = value(key);
        return value == null ? Optional.empty() : Optional.of(of(file, path(key), value));
    }

    interface Reader<T, E extends IOException> {
        T read(YamlMapping mapping) throws E;
    }

    /// What is made of a mapping, if it is there.
    <T, E extends IOException> Optional<T> mapping(String key, Reader<T, E> reader)
            throws ConfigException, E {
        Optional<YamlMapping> mapping = mapping(key);
        return mapping.isPresent() ? Optional.of(reader.read(mapping.get())) : Optional.empty();
    }

    /// As [#mapping]; one that is not there says nothing.
    YamlMapping part(String key) throws ConfigException {
        return mapping(key).orElse(empty(file, path(key)));
    }

    /// Whether the value of a key is a mapping, where it may also be something simpler.
    boolean isMapping(String key) {
        return value(key) instanceof MappingNode;
    }

    boolean isList(String key) {
        return value(key) instanceof SequenceNode;
    }

    List<YamlMapping> mappings(String key) throws ConfigException {
        Node value = value(key);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof SequenceNode sequence)) {
            throw problem(value, path(key), "is not a list.", "Begin each entry with a hyphen.");
        }
        List<YamlMapping> mappings = new ArrayList<>();
        for (Node element : sequence.getValue()) {
            mappings.add(of(file, path(key) + "[" + mappings.size() + "]", element));
        }
        return mappings;
    }

    ConfigException problem(String key, String wrong, String remedy) {
        Node value = value(key);
        return problem(value == null ? node : value, path(key), wrong, remedy);
    }

    /// Where this mapping begins, as `file:line`.
    String place() {
        return file + ":" + line(node);
    }

    private ConfigException problem(Node at, String key, String wrong, String remedy) {
        String subject = key.isEmpty() ? "the file" : key;
        return new ConfigException(file + ":" + line(at) + ": " + subject + " " + wrong, remedy);
    }

    private @Nullable Node value(String key) {
        Entry entry = entries.get(key);
        return entry == null ? null : entry.value();
    }

    private String path(String key) {
        return name.isEmpty() ? key : name + "." + key;
    }

    private static int line(Node at) {
        return at.getStartMark().map(Mark::getLine).orElse(0) + 1;
    }
}
