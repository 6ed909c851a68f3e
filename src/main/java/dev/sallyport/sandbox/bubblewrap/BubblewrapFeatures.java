package dev.sallyport.sandbox.bubblewrap;

/// Options that not every bubblewrap in use has; without them a temporary file system is bounded by
/// half the memory.
record BubblewrapFeatures(boolean tmpfsSize, boolean tmpfsPermissions) {
    static BubblewrapFeatures of(String help) {
        return new BubblewrapFeatures(help.contains("--size "), help.contains("--perms "));
    }
}
