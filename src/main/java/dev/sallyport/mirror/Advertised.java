package dev.sallyport.mirror;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefVisibility;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What upstream says it has, in protocol v0.
///
/// @param refs the visible ones whose names satisfy git's grammar, without `HEAD` and without the
///   peeled ends of tags
/// @param shallow commits whose parents upstream itself does not have
/// @param head the visible ref that `HEAD` stands for, if upstream says so
record Advertised(Map<RefName, ObjectName> refs, Set<ObjectName> shallow, Optional<RefName> head) {
    private static final String SERVICE_LINE = "# service=git-upload-pack";
    private static final String NO_REFS = "capabilities^{}";
    private static final String SHALLOW = "shallow ";
    private static final String PEELED = "^{}";
    private static final String HEAD = "symref=HEAD:";
    private static final int ID_CHARS = 40;
    private static final int CAPABILITIES_BYTES_MAX = 16_384;
    private static final long BYTES_MAX = 32L << 20;

    /// @param refsMax of all lines, the invisible and the peeled ones included
    static Advertised read(InputStream in, RefVisibility visible, int refsMax) throws IOException {
        PktInput packets = new PktInput(in);
        byte[] service = packets.next();
        if (service == null || !text(service).equals(SERVICE_LINE) || packets.next() != null) {
            throw new WireException("an answer begins with its service and a flush");
        }
        Map<RefName, ObjectName> refs = new LinkedHashMap<>();
        Set<ObjectName> shallow = new LinkedHashSet<>();
        String capabilities = "";
        int lines = 0;
        long bytes = 0;
        for (byte[] packet = packets.next(); packet != null; packet = packets.next()) {
            bytes += packet.length;
            // A peeled line follows its tag, so there are up to two per ref, and HEAD.
            if (lines++ > 2L * refsMax || refs.size() > refsMax || bytes > BYTES_MAX) {
                throw new LimitException("upstream has more than " + refsMax + " refs");
            }
            if (lines == 1) {
                capabilities = capabilities(packet);
            }
            String line = text(lines == 1 ? first(packet) : packet);
            if (line.startsWith(SHALLOW)) {
                shallow.add(id(line.substring(SHALLOW.length())));
            } else {
                add(refs, line, visible);
            }
        }
        if (refs.size() > refsMax) {
            throw new LimitException("upstream has more than " + refsMax + " refs");
        }
        packets.requireEnd();
        return new Advertised(refs, shallow, head(capabilities).filter(refs::containsKey));
    }

    private static Optional<RefName> head(String capabilities) {
        for (String capability : capabilities.split(" +", -1)) {
            try {
                if (capability.startsWith(HEAD)) {
                    return Optional.of(RefName.parse(capability.substring(HEAD.length())));
                }
            } catch (MalformedNameException _) {
                // It stands for no ref that a session can use.
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    /// Checks the capabilities, which follow the first line behind a NUL, and returns the rest.
    private static byte[] first(byte[] packet) throws IOException {
        Set<String> capabilities = new HashSet<>(List.of(capabilities(packet).split(" +", -1)));
        for (String capability : capabilities) {
            if (capability.startsWith("object-format=")
                    && !capability.equals("object-format=sha1")) {
                throw new WireException("the repository's object format is not sha1");
            }
        }
        if (!capabilities.contains("side-band-64k") || !capabilities.contains("ofs-delta")) {
            throw new WireException("upstream lacks side-band-64k or ofs-delta");
        }
        return Arrays.copyOf(packet, end(packet));
    }

    private static String capabilities(byte[] packet) throws IOException {
        int nul = end(packet);
        if (nul == packet.length || packet.length - nul > CAPABILITIES_BYTES_MAX) {
            throw new WireException("the first ref carries the capabilities");
        }
        return text(Arrays.copyOfRange(packet, nul + 1, packet.length)).strip();
    }

    private static int end(byte[] packet) {
        int nul = 0;
        while (nul < packet.length && packet[nul] != 0) {
            nul++;
        }
        return nul;
    }

    private static void add(Map<RefName, ObjectName> refs, String text, RefVisibility visible)
            throws IOException {
        if (text.length() < ID_CHARS + 2 || text.charAt(ID_CHARS) != ' ') {
            throw new WireException("a ref is an id, a space and a name");
        }
        String name = text.substring(ID_CHARS + 1);
        ObjectName id = id(text.substring(0, ID_CHARS));
        if (id.isZero()) {
            if (!name.equals(NO_REFS)) {
                throw new WireException("only an empty repository advertises the zero id");
            }
        } else if (!name.endsWith(PEELED)) {
            put(refs, name, id, visible);
        }
    }

    private static void put(
            Map<RefName, ObjectName> refs, String name, ObjectName id, RefVisibility visible)
            throws WireException {
        RefName ref;
        try {
            ref = RefName.parse(name);
        } catch (MalformedNameException _) {
            // HEAD, and names that no session can use.
            return;
        }
        if (visible.shows(ref) && refs.put(ref, id) != null) {
            throw new WireException("a ref is advertised once");
        }
    }

    private static ObjectName id(String hex) throws WireException {
        try {
            return ObjectName.parse(hex);
        } catch (MalformedNameException e) {
            throw new WireException(String.valueOf(e.getMessage()));
        }
    }

    /// The text without the one line feed that may end it; what is not UTF-8 becomes a name that
    /// the grammar refuses.
    private static String text(byte[] payload) {
        int end = payload.length;
        if (end > 0 && payload[end - 1] == '\n') {
            end--;
        }
        return new String(payload, 0, end, StandardCharsets.UTF_8);
    }
}
