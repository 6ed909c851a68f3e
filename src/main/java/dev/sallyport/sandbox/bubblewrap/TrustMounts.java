package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.config.SystemCertificates;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxTrust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Puts the certificates of a sandbox with an authority of its own where they can be named, and its
/// bundle over the host's, for programs that look nowhere else.
///
/// A place that is inside a directory of the host can be mounted over but not made, and bubblewrap
/// does not follow links there as the sandbox will. So links are followed here.
final class TrustMounts {
    private static final int LINKS_MAX = 8;

    private TrustMounts() {}

    static List<String> of(SandboxSpec spec) throws IOException {
        List<String> arguments = new ArrayList<>();
        for (String name : SandboxTrust.files(spec)) {
            arguments.addAll(mount(spec, name, SandboxTrust.DIRECTORY.resolve(name)));
        }
        if (spec.caPem().isPresent()) {
            for (Path place : places()) {
                arguments.addAll(mount(spec, SandboxTrust.BUNDLE, place));
            }
        }
        return arguments;
    }

    private static List<String> mount(SandboxSpec spec, String name, Path place) {
        return List.of("--ro-bind", spec.files().resolve(name).toString(), place.toString());
    }

    private static Set<Path> places() throws IOException {
        Set<Path> places = new LinkedHashSet<>();
        for (Path bundle : SystemCertificates.BUNDLES) {
            place(bundle).ifPresent(places::add);
        }
        return places;
    }

    private static Optional<Path> place(Path bundle) throws IOException {
        Path path = bundle;
        for (int i = 0; SystemMounts.show(path) && Files.isSymbolicLink(path); i++) {
            if (i == LINKS_MAX) {
                return Optional.empty();
            }
            path = path.resolveSibling(Files.readSymbolicLink(path)).normalize();
        }
        boolean usable =
                SystemMounts.show(path) ? Files.isRegularFile(path) : path.startsWith("/etc");
        return usable ? Optional.of(path) : Optional.empty();
    }
}
