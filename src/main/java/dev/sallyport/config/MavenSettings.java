package dev.sallyport.config;

import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// `~/.m2/settings.xml`: the `url` of mirrors, repositories and plugin repositories.
final class MavenSettings {
    private final Deque<String> open = new ArrayDeque<>();
    private final List<Source> sources = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private String url = "";
    private String mirrorOf = "";
    private int line;

    private record Source(String url, int line, boolean instead) {}

    private MavenSettings() {}

    static void read(ToolReading reading, ToolFile file) {
        MavenSettings settings = new MavenSettings();
        try {
            settings.parse(file.text());
        } catch (XMLStreamException e) {
            reading.malformed(file);
            return;
        }
        for (Source source : settings.sources) {
            reading.take(file, source.line(), source.url(), source.instead());
        }
    }

    /// Nothing that a document declares is expanded or fetched; one that declares anything is
    /// malformed.
    private void parse(String document) throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        factory.setXMLResolver(
                (_, _, _, _) -> {
                    throw new XMLStreamException("nothing is fetched");
                });
        XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(document));
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> start(reader);
                case XMLStreamConstants.END_ELEMENT -> end();
                case XMLStreamConstants.CHARACTERS -> text.append(reader.getText());
                case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
                        throw new XMLStreamException("there is a declaration");
                default -> {}
            }
        }
    }

    private void start(XMLStreamReader reader) {
        String name = reader.getLocalName();
        if (isSource(name)) {
            url = "";
            mirrorOf = "";
        }
        if (name.equals("url")) {
            line = reader.getLocation().getLineNumber();
        }
        open.push(name);
        text.setLength(0);
    }

    private void end() {
        String name = open.pop();
        String parent = open.isEmpty() ? "" : open.peek();
        if (name.equals("url") && isSource(parent)) {
            url = text.toString().strip();
        } else if (name.equals("mirrorOf") && parent.equals("mirror")) {
            mirrorOf = text.toString();
        } else if (isSource(name) && !url.isEmpty()) {
            sources.add(new Source(url, line, name.equals("mirror") && isMirrorOfCentral()));
            url = "";
        }
        text.setLength(0);
    }

    private static boolean isSource(String element) {
        return switch (element) {
            case "mirror", "repository", "pluginRepository" -> true;
            default -> false;
        };
    }

    private boolean isMirrorOfCentral() {
        List<String> of = Arrays.stream(mirrorOf.split(",", -1)).map(String::strip).toList();
        return !of.contains("!central")
                && (of.contains("*") || of.contains("external:*") || of.contains("central"));
    }
}
