package dev.sallyport.push;

import dev.sallyport.policy.PathName;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.ObjectId;
import org.jspecify.annotations.Nullable;

/// What several trees have at one path. Valid until the next line is taken.
final class TreeLine {
    private final @Nullable TreeCursor[] cells;
    private final byte[] path;
    private int pathLength;
    private boolean tree;

    TreeLine(int columns, int pathBytesMax) {
        this.cells = new @Nullable TreeCursor[columns];
        this.path = new byte[pathBytesMax];
    }

    /// Takes the first name that is left in any column. Returns whether there was one.
    boolean take(List<TreeCursor> cursors, int prefixLength) {
        TreeCursor first = null;
        for (TreeCursor cursor : cursors) {
            if (cursor.isPresent() && (first == null || cursor.compareName(first) < 0)) {
                first = cursor;
            }
        }
        if (first == null) {
            return false;
        }
        for (int i = 0; i < cells.length; i++) {
            TreeCursor cursor = cursors.get(i);
            cells[i] = cursor.isPresent() && cursor.compareName(first) == 0 ? cursor : null;
        }
        tree = first.isTree();
        setName(first, prefixLength);
        return true;
    }

    private void setName(TreeCursor entry, int prefixLength) {
        pathLength = prefixLength + entry.nameLength();
        if (pathLength + 1 > path.length) {
            throw PushRefusedException.limit("a path of more than " + path.length + " bytes");
        }
        if (prefixLength > 0) {
            path[prefixLength - 1] = '/';
        }
        System.arraycopy(entry.raw(), entry.nameStart(), path, prefixLength, entry.nameLength());
    }

    /// Goes on in the columns that are part of this line, which is then no longer valid.
    void advance() {
        for (TreeCursor cell : cells) {
            if (cell != null) {
                cell.next();
            }
        }
    }

    boolean isTree() {
        return tree;
    }

    int pathLength() {
        return pathLength;
    }

    boolean has(int column) {
        return cells[column] != null;
    }

    /// 0 when there is nothing.
    int mode(int column) {
        TreeCursor cell = cells[column];
        return cell == null ? 0 : cell.mode();
    }

    Optional<ObjectId> id(int column) {
        TreeCursor cell = cells[column];
        return cell == null ? Optional.empty() : Optional.of(cell.id());
    }

    List<Optional<ObjectId>> ids() {
        List<Optional<ObjectId>> ids = new ArrayList<>(cells.length);
        for (int i = 0; i < cells.length; i++) {
            ids.add(id(i));
        }
        return ids;
    }

    boolean isSame(int one, int other) {
        TreeCursor a = cells[one];
        TreeCursor b = cells[other];
        if (a == null || b == null) {
            return a == b;
        }
        return a.isSame(b);
    }

    /// Whether all columns have the same there.
    boolean isUniform() {
        for (int i = 1; i < cells.length; i++) {
            if (!isSame(0, i)) {
                return false;
            }
        }
        return true;
    }

    byte[] pathBytes() {
        return Arrays.copyOf(path, pathLength);
    }

    /// Empty when it is not UTF-8.
    Optional<PathName> path() {
        boolean ascii = true;
        for (int i = 0; i < pathLength && ascii; i++) {
            ascii = path[i] > 0;
        }
        if (ascii) {
            String text = new String(path, 0, pathLength, StandardCharsets.ISO_8859_1);
            return Optional.of(PathName.of(text));
        }
        try {
            return Optional.of(
                    PathName.of(
                            StandardCharsets.UTF_8
                                    .newDecoder()
                                    .decode(ByteBuffer.wrap(path, 0, pathLength))
                                    .toString()));
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
