package dev.sallyport.porter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Chooses the porter that this process is able to use.
public final class Porters {
    private Porters() {}

    public static Porter forThisProcess() throws IOException {
        return effectiveUid() == 0 ? new NamespacePorter() : NsenterPorter.ofThisJvm();
    }

    static int effectiveUid() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }
}
