package dev.sallyport.push;

import dev.sallyport.approval.Question;
import dev.sallyport.approval.ShownText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.diff.DiffAlgorithm;
import org.eclipse.jgit.diff.DiffFormatter;
import org.eclipse.jgit.diff.Edit;
import org.eclipse.jgit.diff.EditList;
import org.eclipse.jgit.diff.RawText;
import org.eclipse.jgit.diff.RawTextComparator;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.revwalk.RevTree;
import org.eclipse.jgit.treewalk.EmptyTreeIterator;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/// What lies between trees, as `git diff` writes it, for a person to read. Bounded: the time that
/// comparing takes can grow with the product of two lengths, and both are a sandbox's.
final class DiffText {
    private static final int FILE_BYTES_MAX = 256 << 10;
    private static final int FILES_COUNTED_MAX = 100_000;
    private static final int PATH_CHARACTERS_MAX = 300;
    private static final long LINE_PAIRS_PER_FILE_MAX = 25_000_000;
    private static final long LINE_PAIRS_TOTAL_MAX = 250_000_000;
    private static final int ID_LETTERS = 10;

    private final ObjectReader reader;
    private final List<Question.Change> files = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private long linePairs;
    private int filesTotal;
    private boolean complete = true;

    DiffText(ObjectReader reader) {
        this.reader = reader;
    }

    List<Question.Change> files() {
        return files;
    }

    int filesTotal() {
        return filesTotal;
    }

    String text() {
        return text.toString();
    }

    /// Whether everything that changes can be read in it.
    boolean isComplete() {
        return complete;
    }

    /// @param base absent when everything is new
    void add(Optional<RevTree> base, RevTree after) throws IOException {
        try (TreeWalk walk = new TreeWalk(reader)) {
            if (base.isPresent()) {
                walk.addTree(base.get());
            } else {
                walk.addTree(new EmptyTreeIterator());
            }
            walk.addTree(after);
            walk.setRecursive(true);
            walk.setFilter(TreeFilter.ANY_DIFF);
            while (walk.next()) {
                filesTotal++;
                if (files.size() < Question.FILES_MAX) {
                    file(walk);
                } else {
                    complete = false;
                }
                if (filesTotal > FILES_COUNTED_MAX) {
                    return;
                }
            }
        }
    }

    private void file(TreeWalk walk) throws IOException {
        String path = ShownText.line(ShownText.utf8(walk.getRawPath()), PATH_CHARACTERS_MAX);
        StringBuilder head = new StringBuilder("diff --git a/" + path + " b/" + path + "\n");
        modes(head, walk.getFileMode(0), walk.getFileMode(1));
        if (walk.getObjectId(0).equals(walk.getObjectId(1))) {
            put(path, 0, 0, head.toString());
            return;
        }
        Optional<RawText> before = content(walk, 0);
        Optional<RawText> now = content(walk, 1);
        if (before.isEmpty() || now.isEmpty() || !isCheap(before.get(), now.get())) {
            complete = false;
            put(path, 0, 0, head + unshown(walk));
        } else {
            compared(path, head, before.get(), now.get());
        }
    }

    private static void modes(StringBuilder head, FileMode before, FileMode now) {
        if (before.equals(FileMode.MISSING)) {
            head.append("new file mode ").append(now).append('\n');
        } else if (now.equals(FileMode.MISSING)) {
            head.append("deleted file mode ").append(before).append('\n');
        } else if (!before.equals(now)) {
            head.append("old mode ").append(before).append('\n');
            head.append("new mode ").append(now).append('\n');
        }
    }

    /// Empty for what cannot be shown. One NUL makes a file binary to JGit, which would hide all of
    /// a script; whatever is UTF-8 is shown. Other text is shown as far as it has letters.
    private Optional<RawText> content(TreeWalk walk, int tree) throws IOException {
        if (walk.getFileMode(tree).equals(FileMode.MISSING)) {
            return Optional.of(RawText.EMPTY_TEXT);
        }
        if (walk.getFileMode(tree).equals(FileMode.GITLINK)) {
            String line = "Subproject commit " + walk.getObjectId(tree).name() + "\n";
            return Optional.of(new RawText(line.getBytes(StandardCharsets.US_ASCII)));
        }
        ObjectLoader blob = reader.open(walk.getObjectId(tree), Constants.OBJ_BLOB);
        if (blob.getSize() > FILE_BYTES_MAX) {
            return Optional.empty();
        }
        byte[] bytes = blob.getBytes();
        boolean letters = isUtf8(bytes);
        complete &= letters;
        return letters || !RawText.isBinary(bytes)
                ? Optional.of(new RawText(bytes))
                : Optional.empty();
    }

    private static boolean isUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException _) {
            return false;
        }
    }

    private boolean isCheap(RawText before, RawText now) {
        long pairs = (long) before.size() * now.size();
        if (pairs > LINE_PAIRS_PER_FILE_MAX || linePairs + pairs > LINE_PAIRS_TOTAL_MAX) {
            return false;
        }
        linePairs += pairs;
        return true;
    }

    private long bytes(TreeWalk walk, int tree) throws IOException {
        FileMode mode = walk.getFileMode(tree);
        return mode.equals(FileMode.MISSING) || mode.equals(FileMode.GITLINK)
                ? 0
                : reader.getObjectSize(walk.getObjectId(tree), Constants.OBJ_BLOB);
    }

    private String unshown(TreeWalk walk) throws IOException {
        return "Not shown: binary, or too large ("
                + (abbreviated(walk.getObjectId(0)) + ", " + bytes(walk, 0) + " bytes, to ")
                + (abbreviated(walk.getObjectId(1)) + ", " + bytes(walk, 1) + " bytes)\n");
    }

    private static String abbreviated(ObjectId id) {
        return id.abbreviate(ID_LETTERS).name();
    }

    private void compared(String path, StringBuilder head, RawText before, RawText now)
            throws IOException {
        EditList edits =
                DiffAlgorithm.getAlgorithm(DiffAlgorithm.SupportedAlgorithm.HISTOGRAM)
                        .diff(RawTextComparator.DEFAULT, before, now);
        ByteArrayOutputStream hunks = new ByteArrayOutputStream();
        try (DiffFormatter formatter = new DiffFormatter(hunks)) {
            formatter.format(edits, before, now);
        }
        int added = edits.stream().mapToInt(Edit::getLengthB).sum();
        int removed = edits.stream().mapToInt(Edit::getLengthA).sum();
        head.append("--- ").append(before.size() == 0 ? "/dev/null" : "a/" + path).append('\n');
        head.append("+++ ").append(now.size() == 0 ? "/dev/null" : "b/" + path).append('\n');
        put(path, added, removed, head + ShownText.utf8(hunks.toByteArray()));
    }

    private void put(String path, int added, int removed, String shown) {
        files.add(new Question.Change(path, added, removed));
        int room = Question.DIFF_CHARACTERS_MAX - text.length();
        complete &= ShownText.fits(shown, room);
        text.append(ShownText.of(shown, room));
    }
}
