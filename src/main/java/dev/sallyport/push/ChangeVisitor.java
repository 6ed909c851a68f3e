package dev.sallyport.push;

import dev.sallyport.policy.PathName;
import dev.sallyport.policy.Refusal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;

/// Looks at what one commit changes. Column 0 is the commit, the others are its parents.
///
/// A file whose content upstream has never seen differs from every parent in the commit that brings
/// it, so only such lines are looked at for content. A path of a merge that may be objected to is
/// left to [MergeVisitor].
final class ChangeVisitor implements TreeComparison.Visitor {
    private static final int NAMES_BYTES_MAX = 65_536;

    private final ObjectId commit;
    private final int parents;
    private final PathRules paths;
    private final ObjectSource objects;
    private final Findings findings;
    private final SecretScreen secrets;
    private final LfsPointers pointers;
    private final ByteArrayOutputStream names = new ByteArrayOutputStream();
    private long fileBytesMax = Long.MAX_VALUE;
    private boolean needsMergeBases;

    ChangeVisitor(
            ObjectId commit,
            int parents,
            PathRules paths,
            ObjectSource objects,
            Findings findings,
            SecretScreen secrets,
            LfsPointers pointers) {
        this.commit = commit;
        this.parents = parents;
        this.paths = paths;
        this.objects = objects;
        this.findings = findings;
        this.secrets = secrets;
        this.pointers = pointers;
    }

    void limitFiles(long bytesMax) {
        fileBytesMax = bytesMax;
    }

    boolean needsMergeBases() {
        return needsMergeBases;
    }

    @Override
    public boolean enter(TreeLine line) throws IOException {
        if (line.id(0).filter(Constants.EMPTY_TREE_ID::equals).isPresent()) {
            judgeName(line);
        }
        return parents == 1 || differsFromAll(line) || paths.concern(line.path());
    }

    @Override
    public void file(TreeLine line) throws IOException {
        judgePath(line);
        if (line.has(0) && differsFromAll(line)) {
            judgeName(line);
            judgeLink(line);
            if (!TreeCursor.isGitlink(line.mode(0))) {
                judgeContent(line, line.id(0).orElseThrow());
            }
        }
    }

    private void judgePath(TreeLine line) {
        Optional<PathName> path = line.path();
        // Of a merge against any parent: asking too often is no harm.
        paths.question(path, line.mode(0))
                .ifPresent(rule -> findings.touch(pathDetail(line, commit, rule)));
        Optional<String> objection = paths.objection(path, line.mode(0));
        if (objection.isEmpty()) {
            return;
        }
        if (parents == 1) {
            findings.add(
                    commit, Refusal.PATH_NOT_ALLOWED, pathDetail(line, commit, objection.get()));
        } else {
            needsMergeBases = true;
        }
    }

    private void judgeLink(TreeLine line) {
        if (TreeCursor.isSymlink(line.mode(0))
                && PathRules.isReadByGit(new String(line.pathBytes(), StandardCharsets.UTF_8))) {
            String objection = "git reads this file, so it must not be a symbolic link";
            findings.add(commit, Refusal.PATH_NOT_ALLOWED, pathDetail(line, commit, objection));
        }
    }

    static String pathDetail(TreeLine line, ObjectId commit, String objection) {
        return "path "
                + Printable.of(line.pathBytes())
                + " in commit "
                + commit.abbreviate(7).name()
                + " ("
                + objection
                + ")";
    }

    private boolean differsFromAll(TreeLine line) {
        for (int parent = 1; parent <= parents; parent++) {
            if (line.isSame(0, parent)) {
                return false;
            }
        }
        return true;
    }

    private void judgeContent(TreeLine line, ObjectId blob) throws IOException {
        int position = objects.pack().find(blob);
        if (position == PackContents.NONE || !objects.pack().isNew(position, objects.mirror())) {
            return;
        }
        if (fileBytesMax < Long.MAX_VALUE && objects.blobBytes(blob) > fileBytesMax) {
            findings.add(
                    commit,
                    Refusal.FILE_TOO_LARGE,
                    pathDetail(line, commit, "at most " + fileBytesMax + " bytes"));
        }
        if (objects.pack().isPointer(position)) {
            pointers.add(commit, line, blob);
        }
        secrets.file(commit, line, blob, earlier(line));
    }

    private List<ObjectId> earlier(TreeLine line) {
        List<ObjectId> versions = new ArrayList<>();
        for (int parent = 1; parent <= parents; parent++) {
            if (line.has(parent) && !TreeCursor.isGitlink(line.mode(parent))) {
                line.id(parent).ifPresent(versions::add);
            }
        }
        return versions;
    }

    /// Of a file, or of a directory without any: all others are part of the names of their files.
    private void judgeName(TreeLine line) throws IOException {
        if (secrets.isOff() || isOld(line)) {
            return;
        }
        names.write(line.pathBytes());
        names.write('\n');
        if (names.size() > NAMES_BYTES_MAX) {
            end();
        }
    }

    private boolean isOld(TreeLine line) {
        for (int parent = 1; parent <= parents; parent++) {
            if (line.has(parent)) {
                return true;
            }
        }
        return false;
    }

    /// To be called after the last line.
    void end() throws IOException {
        if (names.size() > 0) {
            secrets.names(commit, names.toByteArray());
            names.reset();
        }
    }
}
