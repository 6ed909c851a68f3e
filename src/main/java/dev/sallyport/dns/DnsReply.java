package dev.sallyport.dns;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// An answer to one query: its question as sent, at most one address, and, when the client speaks
/// EDNS, why a name was denied (RFC 8914).
record DnsReply(DnsQuery query, DnsCode code, Optional<Integer> address) {
    private static final int TTL_SECONDS = 60;
    private static final int UDP_BYTES = 1_232;
    private static final int EDE_OPTION = 15;
    private static final int EDE_BLOCKED = 15;
    private static final int ANSWER_AUTHORITATIVE = 0x8480;
    private static final byte[] WHY =
            "not in the policy of this sandbox; see http://gateway.sallyport/policy"
                    .getBytes(StandardCharsets.US_ASCII);

    static DnsReply of(DnsQuery query, DnsCode code) {
        return new DnsReply(query, code, Optional.empty());
    }

    static DnsReply withAddress(DnsQuery query, int address) {
        return new DnsReply(query, DnsCode.NO_ERROR, Optional.of(address));
    }

    /// A bare header, for messages whose question could not be read.
    static ByteBuf fault(ByteBufAllocator allocator, int id, int opcode, DnsCode code) {
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
        if (code == DnsCode.NO_SUCH_NAME) {
            out.writeShort(WHY.length + 6).writeShort(EDE_OPTION).writeShort(WHY.length + 2);
            out.writeShort(EDE_BLOCKED).writeBytes(WHY);
        } else {
            out.writeShort(0);
        }
    }
}
