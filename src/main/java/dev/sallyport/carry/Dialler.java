package dev.sallyport.carry;

import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;

/// Makes connections to the gateway. What carries has no network of its own (ADR 37): whoever has
/// one makes them and hands them over.
public interface Dialler {
    /// Returns at once, or after one of these was told. From any thread.
    ///
    /// @param made gets a connection on which nothing was said, and owns it
    /// @param failed gets the reason instead
    void dial(Consumer<FileDescriptor> made, Consumer<String> failed);

    /// Closes what was handed over and nobody wants.
    static void discard(FileDescriptor descriptor) {
        try {
            descriptor.close();
        } catch (IOException e) {
            System.getLogger(Dialler.class.getName())
                    .log(Level.DEBUG, "a descriptor could not be closed", e);
        }
    }
}
