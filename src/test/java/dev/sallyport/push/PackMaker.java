package dev.sallyport.push;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.Deflater;

/// Makes packs byte by byte, right and wrong ones.
final class PackMaker {
    static final int COMMIT = 1;
    static final int TREE = 2;
    static final int BLOB = 3;
    static final int OFS = 6;
    static final int REF = 7;

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int count;
    int version = 2;

    int offset() {
        return 12 + body.size();
    }

    int whole(int type, byte[] content) {
        return entry(type, content.length, new byte[0], deflate(content));
    }

    /// Adds a commit without parents; returns its id.
    byte[] rootCommit(byte[] tree) {
        byte[] text = commitText(id(TREE, tree));
        whole(COMMIT, text);
        return id(COMMIT, text);
    }

    int ofs(int base, byte[] delta) {
        return entry(OFS, delta.length, distance(offset() - base), deflate(delta));
    }

    int ref(byte[] base, byte[] delta) {
        return entry(REF, delta.length, base, deflate(delta));
    }

    int entry(int type, long size, byte[] middle, byte[] deflated) {
        int start = offset();
        long rest = size >>> 4;
        body.write((int) (type << 4 | (size & 15) | (rest > 0 ? 0x80 : 0)));
        while (rest > 0) {
            body.write((int) ((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0)));
            rest >>>= 7;
        }
        raw(middle);
        raw(deflated);
        count++;
        return start;
    }

    PackMaker raw(byte[] bytes) {
        body.writeBytes(bytes);
        return this;
    }

    static byte[] distance(long distance) {
        ByteBuffer reversed = ByteBuffer.allocate(10);
        long rest = distance;
        reversed.put((byte) (rest & 0x7F));
        while ((rest >>= 7) > 0) {
            rest--;
            reversed.put((byte) ((rest & 0x7F) | 0x80));
        }
        byte[] bytes = new byte[reversed.position()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = reversed.get(bytes.length - 1 - i);
        }
        return bytes;
    }

    static byte[] deflate(byte[] content) {
        Deflater deflater = new Deflater(9);
        deflater.setInput(content);
        deflater.finish();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[65_536];
        while (!deflater.finished()) {
            out.write(buffer, 0, deflater.deflate(buffer));
        }
        deflater.end();
        return out.toByteArray();
    }

    /// A delta that says these sizes and then does whatever the instructions say.
    static byte[] delta(long baseSize, long resultSize, byte... instructions) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (long size : new long[] {baseSize, resultSize}) {
            long rest = size;
            while (rest > 0x7F) {
                out.write((int) ((rest & 0x7F) | 0x80));
                rest >>>= 7;
            }
            out.write((int) rest);
        }
        out.writeBytes(instructions);
        return out.toByteArray();
    }

    /// A delta whose result is this and has nothing of its base; at most 127 bytes.
    static byte[] insert(int baseSize, byte[] result) {
        byte[] instructions = new byte[result.length + 1];
        instructions[0] = (byte) result.length;
        System.arraycopy(result, 0, instructions, 1, result.length);
        return delta(baseSize, result.length, instructions);
    }

    static byte[] id(int type, byte[] content) {
        String name = type == COMMIT ? "commit" : type == TREE ? "tree" : "blob";
        var digest = Digests.sha1();
        digest.update((name + " " + content.length + "\0").getBytes(StandardCharsets.US_ASCII));
        return digest.digest(content);
    }

    static String hex(byte[] id) {
        return HexFormat.of().formatHex(id);
    }

    static byte[] treeEntry(String mode, String name, byte[] id) {
        byte[] head = (mode + " " + name + "\0").getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(head.length + id.length).put(head).put(id).array();
    }

    static byte[] commitText(byte[] tree, String... parents) {
        StringBuilder text = new StringBuilder("tree " + hex(tree) + "\n");
        for (String parent : parents) {
            text.append("parent ").append(parent).append('\n');
        }
        text.append("author A <a@test.example> 1700000000 +0000\n");
        text.append("committer A <a@test.example> 1700000000 +0000\n\nby hand\n");
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    byte[] build() {
        return build(count);
    }

    byte[] build(int announced) {
        byte[] front =
                ByteBuffer.allocate(12 + body.size())
                        .putInt(0x5041434B)
                        .putInt(version)
                        .putInt(announced)
                        .put(body.toByteArray())
                        .array();
        byte[] trailer = Digests.sha1().digest(front);
        return ByteBuffer.allocate(front.length + 20).put(front).put(trailer).array();
    }
}
