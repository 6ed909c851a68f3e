package dev.sallyport.porter;

import dev.sallyport.channel.ListenerKind;
import io.netty.channel.unix.FileDescriptor;

/// A bound socket that lives in a sandbox's network namespace. The descriptor belongs to whoever
/// holds this.
public record Listener(ListenerKind kind, FileDescriptor descriptor) {}
