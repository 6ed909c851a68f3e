package dev.sallyport.porter;

import io.netty.channel.unix.FileDescriptor;

/// A socket that lives in a sandbox's network namespace. The descriptor belongs to whoever holds
/// this.
public record Listener(Opening opening, FileDescriptor descriptor) {}
