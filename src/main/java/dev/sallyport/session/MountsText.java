package dev.sallyport.session;

import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.Mounts;
import java.nio.file.Path;
import java.util.List;

/// Mounts as they are stored.
record MountsText(List<One> extra, List<String> hidden, boolean searched) {
    record One(String path, boolean writable, boolean unsafe) {}

    static MountsText of(Mounts mounts) {
        return new MountsText(
                mounts.extra().stream().map(MountsText::one).toList(),
                mounts.hidden().stream().map(Path::toString).toList(),
                mounts.searched());
    }

    private static One one(HostMount mount) {
        return new One(mount.path().toString(), mount.writable(), mount.unsafe());
    }

    Mounts toMounts() {
        return new Mounts(
                extra.stream()
                        .map(one -> new HostMount(Path.of(one.path), one.writable, one.unsafe))
                        .toList(),
                hidden.stream().map(Path::of).toList(),
                searched);
    }
}
