package dev.sallyport.dns;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// Writes DNS queries, good and bad.
final class Queries {
    private Queries() {}

    static ByteBuf header(int questions, int additionals) {
        return Unpooled.buffer(512)
                .writeShort(0x1234)
                .writeShort(0x0100)
                .writeShort(questions)
                .writeInt(0)
                .writeShort(additionals);
    }

    static ByteBuf of(String name, int type, boolean edns) {
        ByteBuf query = ofLabels(Arrays.asList(name.split("\\.", -1)), type);
        if (edns) {
            query.setShort(10, 1);
            query.writeByte(0).writeShort(41).writeShort(1232).writeInt(0).writeShort(0);
        }
        return query;
    }

    static ByteBuf ofLabels(List<String> labels, int type) {
        ByteBuf query = header(1, 0);
        for (String label : labels) {
            query.writeByte(label.length());
            query.writeCharSequence(label, StandardCharsets.ISO_8859_1);
        }
        return query.writeByte(0).writeShort(type).writeShort(1);
    }
}
