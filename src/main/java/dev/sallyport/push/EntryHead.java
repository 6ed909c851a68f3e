package dev.sallyport.push;

import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;

/// What an entry of a pack says before its zlib stream.
///
/// @param size of what the stream inflates to
/// @param distance back to the base of an offset delta
/// @param base of a delta that names it; else the zero id
/// @param length of this head, in bytes
record EntryHead(int type, long size, long distance, ObjectId base, int length) {
    /// Of any head.
    static final int BYTES_MAX = 32;

    private static final int VARINT_SHIFT_MAX = 53;
    private static final int OFFSET_BYTES_MAX = 8;

    /// Reads one head front to back.
    private static final class Reader {
        private final byte[] raw;
        private final int to;
        private int at;

        Reader(byte[] raw, int from, int to) {
            this.raw = raw;
            this.at = from;
            this.to = to;
        }

        int next() {
            if (at == to) {
                throw PushRefusedException.truncated();
            }
            return raw[at++] & 0xFF;
        }

        long size(int head) {
            long size = head & 15;
            int shift = 4;
            for (int b = head; (b & 0x80) != 0; shift += 7) {
                if (shift > VARINT_SHIFT_MAX) {
                    throw PushRefusedException.malformed("a size that no object can have");
                }
                b = next();
                size |= (long) (b & 0x7F) << shift;
            }
            return size;
        }

        long distance() {
            int b = next();
            long distance = b & 0x7F;
            for (int i = 1; (b & 0x80) != 0; i++) {
                if (i == OFFSET_BYTES_MAX) {
                    throw PushRefusedException.malformed("a delta without its base");
                }
                b = next();
                distance = ((distance + 1) << 7) + (b & 0x7F);
            }
            return distance;
        }

        ObjectId id() {
            if (to - at < Constants.OBJECT_ID_LENGTH) {
                throw PushRefusedException.truncated();
            }
            ObjectId id = ObjectId.fromRaw(raw, at);
            at += Constants.OBJECT_ID_LENGTH;
            return id;
        }
    }

    static EntryHead parse(byte[] raw, int from, int to) {
        Reader reader = new Reader(raw, from, to);
        int head = reader.next();
        int type = head >> 4 & 7;
        long size = reader.size(head);
        long distance = 0;
        ObjectId base = ObjectId.zeroId();
        switch (type) {
            case Constants.OBJ_COMMIT,
                    Constants.OBJ_TREE,
                    Constants.OBJ_TAG,
                    Constants.OBJ_BLOB -> {
                // Nothing more is said.
            }
            case Constants.OBJ_OFS_DELTA -> distance = reader.distance();
            case Constants.OBJ_REF_DELTA -> base = reader.id();
            default -> throw PushRefusedException.malformed("an entry of unknown type " + type);
        }
        return new EntryHead(type, size, distance, base, reader.at - from);
    }

    boolean isDelta() {
        return type == Constants.OBJ_OFS_DELTA || type == Constants.OBJ_REF_DELTA;
    }
}
