package dev.sallyport.sidecar;

import dev.sallyport.carry.Dialler;
import dev.sallyport.channel.Message;
import io.netty.channel.unix.FileDescriptor;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Connections to the gateway, which the warden makes: this process has no network. On one event
/// loop.
final class Wishes implements Dialler {
    private final String session;
    private final Consumer<Message> warden;
    private @Nullable Wish open;

    private record Wish(Consumer<FileDescriptor> made, Consumer<String> failed) {}

    Wishes(String session, Consumer<Message> warden) {
        this.session = session;
        this.warden = warden;
    }

    @Override
    public void dial(Consumer<FileDescriptor> made, Consumer<String> failed) {
        open = new Wish(made, failed);
        warden.accept(new Message.LineWanted(session));
    }

    /// What nobody wished for is closed.
    ///
    /// @param descriptors one, or none if there is trouble; ownership passes
    void answered(Message.Line line, List<FileDescriptor> descriptors) {
        Wish wish = open;
        open = null;
        if (wish == null) {
            descriptors.forEach(Dialler::discard);
        } else if (descriptors.isEmpty()) {
            wish.failed().accept(line.trouble());
        } else {
            wish.made().accept(descriptors.getFirst());
        }
    }
}
