package dev.sallyport.mirror;

import dev.sallyport.policy.Hashes;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Several packs, each of which is complete in itself, read as one. Deltas name their base by
/// distance or by id, so the objects of a pack can be copied as they are.
final class PackJoin extends InputStream {
    private static final int HEADER_BYTES = 12;
    private static final int VERSION = 2;
    private static final long SMALL_BYTES_MAX = 64L << 20;

    private final MessageDigest sha1 = Hashes.sha1();
    private final Deque<Path> packs;
    private InputStream current;
    private long left;
    private boolean ended;

    private PackJoin(Collection<Path> packs, long objects) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.put("PACK".getBytes(StandardCharsets.US_ASCII))
                .putInt(VERSION)
                .putInt((int) objects);
        this.packs = new ArrayDeque<>(packs);
        this.current = new ByteArrayInputStream(header.array());
        this.left = HEADER_BYTES;
    }

    /// All but the largest, and none that is large by itself.
    static Map<String, Manifest.Pack> worthJoining(Map<String, Manifest.Pack> packs) {
        List<Map.Entry<String, Manifest.Pack>> bySize = new ArrayList<>(packs.entrySet());
        bySize.sort(Comparator.comparingLong(entry -> entry.getValue().pack().bytes()));
        Map<String, Manifest.Pack> chosen = new HashMap<>();
        for (Map.Entry<String, Manifest.Pack> entry :
                bySize.subList(0, Math.max(0, bySize.size() - 1))) {
            if (entry.getValue().pack().bytes() <= SMALL_BYTES_MAX) {
                chosen.put(entry.getKey(), entry.getValue());
            }
        }
        return chosen;
    }

    static PackJoin open(Path directory, Collection<String> names) throws IOException {
        List<Path> packs = names.stream().map(name -> directory.resolve(name + ".pack")).toList();
        long objects = 0;
        for (Path pack : packs) {
            try (InputStream in = Files.newInputStream(pack)) {
                objects += ByteBuffer.wrap(header(in)).getInt(HEADER_BYTES - Integer.BYTES);
            }
        }
        return new PackJoin(packs, objects);
    }

    private static byte[] header(InputStream in) throws IOException {
        byte[] header = in.readNBytes(HEADER_BYTES);
        if (header.length < HEADER_BYTES) {
            throw new EOFException("a pack is shorter than its header");
        }
        return header;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        while (left == 0) {
            if (!advance()) {
                return -1;
            }
        }
        int count = current.read(target, offset, (int) Math.min(length, left));
        if (count < 0) {
            throw new EOFException("a pack was cut meanwhile");
        }
        left -= count;
        if (!ended) {
            sha1.update(target, offset, count);
        }
        return count;
    }

    private boolean advance() throws IOException {
        current.close();
        Path next = packs.poll();
        if (next != null) {
            current = Files.newInputStream(next);
            left = Files.size(next) - header(current).length - PackSeal.TRAILER_BYTES;
            return true;
        }
        if (ended) {
            return false;
        }
        ended = true;
        byte[] digest = sha1.digest();
        current = new ByteArrayInputStream(digest);
        left = digest.length;
        return true;
    }

    @Override
    public void close() throws IOException {
        current.close();
    }
}
