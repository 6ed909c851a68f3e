package dev.sallyport.warden;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.porter.Listener;
import dev.sallyport.porter.Opening;
import dev.sallyport.session.Session;
import io.netty.channel.unix.FileDescriptor;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/// A session with its sockets, as the gateway was told of it.
record Attachment(Session session, List<Listener> listeners, OpenPorts ports, Answers answers) {
    static Attachment of(Session session, List<Listener> listeners, OpenPorts ports) {
        return new Attachment(session, listeners, ports, new Answers());
    }

    Attachment with(Session changed, OpenPorts others) {
        return new Attachment(changed, listeners, others, answers);
    }

    /// When the gateway has answered for all of these, or they have no doors any more. One that is
    /// carried from another machine is that machine's.
    static CompletableFuture<Void> settled(Collection<Attachment> attachments) {
        return CompletableFuture.allOf(
                attachments.stream()
                        .filter(attachment -> !attachment.session().isCarried())
                        .map(attachment -> attachment.answers().all().handle((_, _) -> null))
                        .toArray(CompletableFuture[]::new));
    }

    List<ListenerKind> kinds() {
        return listeners.stream()
                .flatMap(
                        listener ->
                                listener.opening() instanceof Opening.Door(ListenerKind kind)
                                        ? Stream.of(kind)
                                        : Stream.empty())
                .toList();
    }

    List<FileDescriptor> descriptors() {
        return listeners.stream().map(Listener::descriptor).toList();
    }

    /// The gateway answers each [dev.sallyport.channel.Message.Attach] of a session. While it owes
    /// an answer, it may still go by what was said before.
    static final class Answers {
        private int owed;
        private boolean begun;
        private CompletableFuture<Void> all = new CompletableFuture<>();

        synchronized void owe() {
            owed++;
            all = all.isDone() ? new CompletableFuture<>() : all;
        }

        /// What another gateway process owed does not come any more.
        synchronized void oweOne() {
            owed = 0;
            owe();
        }

        synchronized void given() {
            begun = true;
            owed = Math.max(0, owed - 1);
            if (owed == 0) {
                all.complete(null);
            }
        }

        /// Not of the first one: whoever waits for that wants doors that are open.
        synchronized void giveUp() {
            if (begun) {
                owed = 0;
                all.complete(null);
            }
        }

        synchronized CompletableFuture<Void> all() {
            return all;
        }
    }
}
