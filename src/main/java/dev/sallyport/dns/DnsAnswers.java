package dev.sallyport.dns;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.NameTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// Answers the questions of one session from its policy alone. There is no resolver behind it: no
/// query can leave the host because a sandbox asked.
public final class DnsAnswers {
    private static final String GATEWAY = "gateway.sallyport";
    private static final int LOOPBACK = 127 << 24 | 1;
    private static final int TYPE_A = 1;
    private static final int CLASS_IN = 1;

    private final Supplier<LiveSession> session;
    private final DeniedNames denied;
    private final NameTable names;

    public DnsAnswers(Supplier<LiveSession> session, NameTable names, Recorder recorder) {
        this.session = session;
        this.names = names;
        this.denied = new DeniedNames(session.get().id(), recorder);
    }

    /// Reads `message` to its end; empty when there is nothing to say to it.
    Optional<ByteBuf> answer(ByteBuf message, ByteBufAllocator allocator) {
        return switch (DnsQuery.read(message)) {
            case DnsQuery.Reading.Silent _ -> Optional.empty();
            case DnsQuery.Reading.Faulty(int id, int opcode, DnsQuery.DnsCode code) ->
                    Optional.of(DnsReply.fault(allocator, id, opcode, code));
            case DnsQuery.Reading.Asked(DnsQuery query) ->
                    Optional.of(reply(query).encode(allocator));
        };
    }

    private DnsReply reply(DnsQuery query) {
        if (query.ednsVersion() != 0) {
            return DnsReply.of(query, DnsQuery.DnsCode.BAD_VERSION);
        }
        if (query.question().recordClass() != CLASS_IN) {
            return DnsReply.of(query, DnsQuery.DnsCode.REFUSED);
        }
        Optional<Integer> address = lookUp(query.question().name());
        if (address.isEmpty()) {
            denied.denied(query.question().name());
            return DnsReply.of(query, DnsQuery.DnsCode.NO_SUCH_NAME);
        }
        return query.question().type() == TYPE_A
                ? DnsReply.withAddress(query, address.get())
                : DnsReply.of(query, DnsQuery.DnsCode.NO_ERROR);
    }

    private Optional<Integer> lookUp(String name) {
        if (name.equals(GATEWAY)) {
            return Optional.of(LOOPBACK);
        }
        try {
            return names.addressOf(HostName.parse(name), session.get().policy());
        } catch (MalformedNameException e) {
            return Optional.empty();
        }
    }

    /// Records each name that a session was denied, once. The table has a fixed size, because a
    /// sandbox can invent names without end; that it is full is recorded once, too.
    static final class DeniedNames {
        static final int NAMES_MAX = 1_024;

        private final SessionId session;
        private final Recorder recorder;
        private final Set<String> seen = new HashSet<>();
        private boolean full;

        DeniedNames(SessionId session, Recorder recorder) {
            this.session = session;
            this.recorder = recorder;
        }

        /// Denying needs no record to take effect, so the answer does not wait.
        synchronized void denied(String name) {
            if (seen.contains(name)) {
                return;
            }
            if (seen.size() >= NAMES_MAX) {
                if (!full) {
                    full = true;
                    record("dns.overflow", Map.of("names", Integer.toString(NAMES_MAX)));
                }
                return;
            }
            seen.add(name);
            record("dns.denied", Map.of("name", name, "reason", Refusal.NAME_NOT_ALLOWED.code()));
        }

        private void record(String kind, Map<String, String> detail) {
            var _ = recorder.record(new AuditEvent(kind, session.value(), "deny", detail));
        }
    }

    /// An answer to one query: its question as sent, at most one address, and, when the client
    /// speaks EDNS, why a name was denied (RFC 8914).
    private record DnsReply(DnsQuery query, DnsQuery.DnsCode code, Optional<Integer> address) {
        private static final int TTL_SECONDS = 60;
        private static final int UDP_BYTES = 1_232;
        private static final int EDE_OPTION = 15;
        private static final int EDE_BLOCKED = 15;
        private static final int ANSWER_AUTHORITATIVE = 0x8480;
        private static final byte[] WHY =
                "not in the policy of this sandbox; see http://gateway.sallyport/policy"
                        .getBytes(StandardCharsets.US_ASCII);

        static DnsReply of(DnsQuery query, DnsQuery.DnsCode code) {
            return new DnsReply(query, code, Optional.empty());
        }

        static DnsReply withAddress(DnsQuery query, int address) {
            return new DnsReply(query, DnsQuery.DnsCode.NO_ERROR, Optional.of(address));
        }

        /// A bare header, for messages whose question could not be read.
        static ByteBuf fault(
                ByteBufAllocator allocator, int id, int opcode, DnsQuery.DnsCode code) {
            return allocator
                    .buffer(DnsQuery.HEADER_BYTES)
                    .writeShort(id)
                    .writeShort(0x8000 | opcode << 11 | code.value())
                    .writeZero(8);
        }

        ByteBuf encode(ByteBufAllocator allocator) {
            int flags = ANSWER_AUTHORITATIVE | (query.recursionDesired() ? 0x0100 : 0);
            ByteBuf out = allocator.buffer(512);
            out.writeShort(query.id()).writeShort(flags | (code.value() & 0xf));
            out.writeShort(1).writeShort(address.isPresent() ? 1 : 0);
            out.writeShort(0).writeShort(query.edns() ? 1 : 0);
            out.writeCharSequence(query.question().wire(), StandardCharsets.ISO_8859_1);
            address.ifPresent(a -> writeAddress(out, a));
            if (query.edns()) {
                writeOpt(out);
            }
            return out;
        }

        /// The name is a pointer to the question, so it too has the case that the client sent.
        private static void writeAddress(ByteBuf out, int address) {
            out.writeShort(0xC000 | DnsQuery.HEADER_BYTES).writeShort(1).writeShort(1);
            out.writeInt(TTL_SECONDS).writeShort(4).writeInt(address);
        }

        private void writeOpt(ByteBuf out) {
            out.writeByte(0).writeShort(DnsQuery.OPT_TYPE).writeShort(UDP_BYTES);
            out.writeByte(code.value() >> 4).writeByte(0).writeShort(0);
            if (code == DnsQuery.DnsCode.NO_SUCH_NAME) {
                out.writeShort(WHY.length + 6).writeShort(EDE_OPTION).writeShort(WHY.length + 2);
                out.writeShort(EDE_BLOCKED).writeBytes(WHY);
            } else {
                out.writeShort(0);
            }
        }
    }
}
