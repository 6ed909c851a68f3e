package dev.sallyport.mirror;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.util.SystemReader;

/// Uses JGit in a process of its own and says what it knows of the machine.
final class IsolatedChild {
    private IsolatedChild() {}

    public static void main(String[] arguments) throws IOException {
        IsolatedGit.install();
        Path directory = Files.createDirectory(Path.of(arguments[0]));
        Copy copy = Copy.create(directory, "test");
        try (FileRepository repository = copy.lend();
                ObjectInserter inserter = repository.newObjectInserter()) {
            inserter.insert(Constants.OBJ_BLOB, new byte[] {1});
            inserter.flush();
            System.out.println("name=" + repository.getConfig().getString("user", null, "name"));
            System.out.println(
                    "hooks=" + repository.getConfig().getString("core", null, "hookspath"));
        }
        System.out.println("env=" + SystemReader.getInstance().getenv("HOME"));
        System.out.println("processes=" + ProcessHandle.current().descendants().count());
    }
}
