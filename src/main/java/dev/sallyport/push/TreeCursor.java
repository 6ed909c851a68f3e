package dev.sallyport.push;

import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.MutableObjectId;
import org.eclipse.jgit.lib.ObjectId;

/// Goes through the entries of one tree as git stores it: octal mode, space, name, NUL, id.
final class TreeCursor {
    private static final int ID_BYTES = Constants.OBJECT_ID_LENGTH;

    private final byte[] raw;
    private int mode;
    private int nameStart;
    private int nameEnd;
    private int next;

    TreeCursor(byte[] raw) {
        this.raw = raw;
    }

    /// Whether there is another entry, which is then the present one.
    boolean next() {
        mode = 0;
        if (next == raw.length) {
            return false;
        }
        int at = next;
        for (int c = at(at++); c != ' '; c = at(at++)) {
            if (c < '0' || c > '7') {
                throw PushRefusedException.malformed("a tree that is none");
            }
            mode = mode << 3 | c - '0';
        }
        nameStart = at;
        while (at(at) != 0) {
            at++;
        }
        nameEnd = at;
        next = at + 1 + ID_BYTES;
        if (next > raw.length || mode == 0 || nameStart == nameEnd) {
            throw PushRefusedException.malformed("a tree that is none");
        }
        return true;
    }

    private int at(int index) {
        if (index >= raw.length) {
            throw PushRefusedException.malformed("a tree that ends too early");
        }
        return raw[index];
    }

    /// Of the present entry; 0 when there is none.
    int mode() {
        return mode;
    }

    boolean isPresent() {
        return mode != 0;
    }

    boolean isTree() {
        return isTree(mode);
    }

    static boolean isTree(int mode) {
        return (mode & FileMode.TYPE_MASK) == FileMode.TYPE_TREE;
    }

    static boolean isGitlink(int mode) {
        return (mode & FileMode.TYPE_MASK) == FileMode.TYPE_GITLINK;
    }

    static boolean isSymlink(int mode) {
        return (mode & FileMode.TYPE_MASK) == FileMode.TYPE_SYMLINK;
    }

    byte[] raw() {
        return raw;
    }

    int nameStart() {
        return nameStart;
    }

    int nameLength() {
        return nameEnd - nameStart;
    }

    void id(MutableObjectId into) {
        into.fromRaw(raw, nameEnd + 1);
    }

    ObjectId id() {
        return ObjectId.fromRaw(raw, nameEnd + 1);
    }

    /// Git's order, in which a tree's name ends in a slash.
    int compareName(TreeCursor other) {
        int length = Math.min(nameLength(), other.nameLength());
        for (int i = 0; i < length; i++) {
            int order = (raw[nameStart + i] & 0xFF) - (other.raw[other.nameStart + i] & 0xFF);
            if (order != 0) {
                return order;
            }
        }
        return charAfter(length) - other.charAfter(length);
    }

    private int charAfter(int length) {
        if (length < nameLength()) {
            return raw[nameStart + length] & 0xFF;
        }
        return isTree() ? '/' : 0;
    }

    /// Whether both stand for the same object in the same way.
    boolean isSame(TreeCursor other) {
        if (mode != other.mode) {
            return false;
        }
        for (int i = 1; i <= ID_BYTES; i++) {
            if (raw[nameEnd + i] != other.raw[other.nameEnd + i]) {
                return false;
            }
        }
        return true;
    }
}
