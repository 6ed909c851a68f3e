package dev.sallyport.sandbox.docker;

import dev.sallyport.config.SystemCertificates;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxTrust;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// Puts the bundle of a sandbox with an authority of its own where programs of the image look that
/// know no variable. It is copied into the container, not mounted: over a mount, no package that
/// brings a new bundle could be installed.
final class ContainerTrust {
    private ContainerTrust() {}

    /// An image that has no such directory has no such program.
    static void copyBundles(DockerEngine engine, String container, SandboxSpec spec)
            throws SandboxException {
        if (spec.caPem().isEmpty()) {
            return;
        }
        for (Path place : SystemCertificates.BUNDLES) {
            Path named = named(spec, String.valueOf(place.getFileName()));
            engine.ensure(
                    "copy certificates into the container",
                    docker ->
                            docker.copyArchiveToContainerCmd(container)
                                    .withHostResource(named.toString())
                                    .withRemotePath(String.valueOf(place.getParent()))
                                    .exec());
        }
    }

    /// The engine keeps the name that a file has here.
    private static Path named(SandboxSpec spec, String name) throws SandboxException {
        Path bundle = spec.files().resolve(SandboxTrust.BUNDLE);
        Path named = spec.files().resolve(name);
        try {
            return named.equals(bundle)
                    ? bundle
                    : Files.copy(
                            bundle,
                            named,
                            StandardCopyOption.COPY_ATTRIBUTES,
                            StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new SandboxException("cannot copy certificates: " + e.getMessage(), e);
        }
    }
}
