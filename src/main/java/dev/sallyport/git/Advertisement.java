package dev.sallyport.git;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Consumer;

/// Rewrites the ref advertisement of `git-receive-pack` (protocol v0 or v1) packet by packet.
///
/// Kept are refs whose names satisfy git's grammar, and the capabilities of [Capabilities]. Dropped
/// are `.have` lines, which reveal other repositories' objects, and `shallow` lines.
///
/// ```
/// SERVICE --"# service="--> SERVICE_END --flush--> FIRST --ref + capabilities--> REFS --flush--> OVER
/// ```
final class Advertisement implements AnswerFilter {
    private static final String SERVICE_LINE = "# service=git-receive-pack";
    private static final String NO_REFS = "capabilities^{}";

    private enum State {
        SERVICE,
        SERVICE_END,
        FIRST,
        REFS,
        OVER
    }

    private final PktReader reader = new PktReader(Refusal.UPSTREAM_MISBEHAVED);
    private State state = State.SERVICE;
    private Set<String> offer = Set.of();
    private boolean offerSent;
    private boolean versionSeen;

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
        if (!line.equals(SERVICE_LINE)) {
            throw malformed();
        }
        PktLine.write(out, SERVICE_LINE + "\n");
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
        offer = Capabilities.offered(line.substring(nul + 1));
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
            if (isRef(name)) {
                ref(id, name, out);
            }
        } catch (MalformedNameException _) {
            throw malformed();
        }
    }

    private static boolean isRef(String name) {
        try {
            RefName.parse(name);
            return true;
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
                Refusal.UPSTREAM_MISBEHAVED, "the ref advertisement is not that of receive-pack");
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

    @Override
    public boolean keepsLength() {
        return false;
    }
}
