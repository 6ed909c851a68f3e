package dev.sallyport.kubernetes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.StreamDataWriter;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// Writes YAML that every reader takes for the same. Each text is in double quotes and in ASCII:
/// `no`, `1_000` or `12:30` without quotes is a text for us, and something else for readers of YAML
/// 1.1, such as kubectl; and some of them break lines at characters that others do not.
final class BlockYaml {
    private static final DumpSettings SETTINGS =
            DumpSettings.builder()
                    .setSplitLines(false)
                    .setUseUnicodeEncoding(false)
                    .setIndicatorIndent(2)
                    .setIndentWithIndicator(true)
                    .build();

    private BlockYaml() {}

    static String write(Map<String, Object> document) {
        Text text = new Text();
        new Dump(SETTINGS).dumpNode(node(document), text);
        return text.written.toString();
    }

    private static Node node(Object value) {
        return switch (value) {
            case Map<?, ?> map -> mapping(map);
            case List<?> list ->
                    new SequenceNode(
                            Tag.SEQ,
                            list.stream().map(BlockYaml::node).toList(),
                            style(list.isEmpty()));
            case String text -> new ScalarNode(Tag.STR, text, ScalarStyle.DOUBLE_QUOTED);
            case Boolean truth -> new ScalarNode(Tag.BOOL, truth.toString(), ScalarStyle.PLAIN);
            case Integer number -> new ScalarNode(Tag.INT, number.toString(), ScalarStyle.PLAIN);
            default -> throw new IllegalArgumentException("not a value of a manifest: " + value);
        };
    }

    /// Keys are ours, not a person's.
    private static Node mapping(Map<?, ?> map) {
        List<NodeTuple> tuples = new ArrayList<>();
        map.forEach(
                (key, value) ->
                        tuples.add(
                                new NodeTuple(
                                        new ScalarNode(Tag.STR, key.toString(), ScalarStyle.PLAIN),
                                        node(value))));
        return new MappingNode(Tag.MAP, tuples, style(map.isEmpty()));
    }

    private static FlowStyle style(boolean empty) {
        return empty ? FlowStyle.FLOW : FlowStyle.BLOCK;
    }

    private static final class Text implements StreamDataWriter {
        private final StringBuilder written = new StringBuilder();

        @Override
        public void write(String text) {
            written.append(text);
        }

        @Override
        public void write(String text, int offset, int length) {
            written.append(text, offset, offset + length);
        }
    }
}
