package dev.sallyport.git;

import dev.sallyport.policy.GitService;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.AnswerFilter;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Consumer;

/// Rewrites a ref advertisement (protocol v0 or v1) packet by packet.
///
/// Kept are visible refs whose names satisfy git's grammar, with the tags that they peel to, `HEAD`
/// if it stands for one of them, and the capabilities that [Capabilities] or [FetchCapabilities]
/// know. Dropped are `.have` lines, which reveal other repositories' objects, and `shallow` lines.
///
/// ```
/// SERVICE --"# service="--> SERVICE_END --flush--> FIRST --ref + capabilities--> REFS --flush--> OVER
/// ```
final class Advertisement implements AnswerFilter {
    private static final String HEAD = "HEAD";
    private static final String PEELED = "^{}";
    private static final String NO_REFS = "capabilities^{}";

    private enum State {
        SERVICE,
        SERVICE_END,
        FIRST,
        REFS,
        OVER
    }

    private final GitService service;
    private final RefVisibility visible;
    private final boolean options;
    private final PktReader reader = new PktReader(Refusal.UPSTREAM_MISBEHAVED);
    private State state = State.SERVICE;
    private Set<String> offer = Set.of();
    private boolean offerSent;
    private boolean versionSeen;

    /// @param options whether options of a push are judged, and so may be sent
    Advertisement(GitService service, RefVisibility visible, boolean options) {
        this.service = service;
        this.visible = visible;
        this.options = options;
    }

    @Override
    public void accept(ByteBuf piece, Consumer<ByteBuf> out) throws RefusedException {
        ByteBuf rewritten = piece.alloc().buffer(piece.readableBytes() + 256);
        reader.offer(piece);
        try {
            PktLine next;
            while ((next = reader.poll()) != null) {
                switch (next) {
                    case PktLine.Flush _ -> flush(rewritten);
                    case PktLine.Data data -> line(decode(data.line()), rewritten);
                }
            }
        } catch (RefusedException e) {
            rewritten.release();
            throw e;
        }
        out.accept(rewritten);
    }

    private void flush(ByteBuf out) throws RefusedException {
        switch (state) {
            case SERVICE_END -> state = State.FIRST;
            case REFS -> {
                if (!offerSent) {
                    ref(ObjectName.ZERO.hex(), NO_REFS, out);
                }
                state = State.OVER;
            }
            case SERVICE, FIRST, OVER -> throw malformed();
        }
        PktLine.writeFlush(out);
    }

    private void line(String line, ByteBuf out) throws RefusedException {
        switch (state) {
            case SERVICE -> service(line, out);
            case FIRST -> first(line, out);
            case REFS -> later(line, out);
            case SERVICE_END, OVER -> throw malformed();
        }
    }

    private void service(String line, ByteBuf out) throws RefusedException {
        if (!line.equals("# service=" + service.wireName())) {
            throw malformed();
        }
        PktLine.write(out, line + "\n");
        state = State.SERVICE_END;
    }

    private void first(String line, ByteBuf out) throws RefusedException {
        if (line.equals("version 1") && !versionSeen) {
            versionSeen = true;
            PktLine.write(out, "version 1\n");
            return;
        }
        int nul = line.indexOf('\0');
        if (nul < 0) {
            throw malformed();
        }
        String capabilities = line.substring(nul + 1);
        offer =
                switch (service) {
                    case RECEIVE_PACK -> Capabilities.offered(capabilities, options);
                    case UPLOAD_PACK -> FetchCapabilities.offered(capabilities, this::shows);
                };
        state = State.REFS;
        later(line.substring(0, nul), out);
    }

    private void later(String line, ByteBuf out) throws RefusedException {
        if (line.startsWith("shallow ")) {
            return;
        }
        if (line.length() < 42 || line.charAt(40) != ' ') {
            throw malformed();
        }
        try {
            String id = ObjectName.parse(line.substring(0, 40)).hex();
            String name = line.substring(41);
            if (isShown(name)) {
                ref(id, name, out);
            }
        } catch (MalformedNameException _) {
            throw malformed();
        }
    }

    /// `HEAD` is one line among the others; which ref it stands for is a capability, and that is
    /// offered only when the ref is shown.
    private boolean isShown(String name) {
        if (name.equals(HEAD)) {
            return service == GitService.UPLOAD_PACK
                    && offer.stream()
                            .anyMatch(word -> word.startsWith(FetchCapabilities.HEAD_TARGET));
        }
        boolean peeled = service == GitService.UPLOAD_PACK && name.endsWith(PEELED);
        return shows(peeled ? name.substring(0, name.length() - PEELED.length()) : name);
    }

    private boolean shows(String name) {
        try {
            return visible.shows(RefName.parse(name));
        } catch (MalformedNameException _) {
            return false;
        }
    }

    private void ref(String id, String name, ByteBuf out) {
        String tail = offerSent ? "" : "\0" + String.join(" ", offer);
        offerSent = true;
        PktLine.write(out, id + " " + name + tail + "\n");
    }

    private static String decode(byte[] line) throws RefusedException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
        } catch (CharacterCodingException _) {
            // A name that is not UTF-8 cannot be pushed here; one character makes it no ref.
            return new String(line, StandardCharsets.UTF_8);
        }
    }

    private static RefusedException malformed() {
        return new RefusedException(
                Refusal.UPSTREAM_MISBEHAVED, "the ref advertisement is not that of the service");
    }

    @Override
    public void finish() throws RefusedException {
        if (state != State.OVER || reader.heldBytes() > 0) {
            throw malformed();
        }
    }

    @Override
    public void release() {
        reader.release();
    }
}
