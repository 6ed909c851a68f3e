package dev.sallyport.sandbox;

/// Who a running sandbox is, as the runtime and the kernel say; never as the sandbox says.
///
/// @param runtimeId container id, or for bubblewrap the text `pid-starttime`
/// @param pid first process of the sandbox, as the host numbers it
/// @param startTicks start time of that process from `/proc/PID/stat`, field 22; tells a reused pid
///   apart
/// @param netNamespaceInode inode of `/proc/PID/ns/net`
public record Identity(String runtimeId, long pid, long startTicks, long netNamespaceInode) {}
