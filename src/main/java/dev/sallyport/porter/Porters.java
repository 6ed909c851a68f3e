package dev.sallyport.porter;

import dev.sallyport.config.Ownership;
import java.io.IOException;

/// Chooses the porter that this process is able to use.
public final class Porters {
    private Porters() {}

    public static Porter forThisProcess() throws IOException {
        return Ownership.ownUid() == 0 ? new NamespacePorter() : NsenterPorter.ofThisJvm();
    }
}
