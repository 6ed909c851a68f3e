package dev.sallyport.warden;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Machine;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.TrustedFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The rules of a workspace's own file, when a person trusts its bytes. Bytes that nobody trusts
/// are hashed and not parsed: a sandbox may have written them (I7).
record ProjectRules(Patron patron, PolicyFile policy) {
    ProjectFile of(Path workspace) throws OperationException {
        Path file = workspace.resolve(ProjectFile.NAME);
        try {
            Optional<byte[]> content = patron.with(() -> ProjectFile.read(file));
            if (content.isEmpty()
                    || !new TrustedFiles(patron.home().trustedFiles())
                            .isTrusted(file, content.get())) {
                return ProjectFile.NONE;
            }
            return ProjectFile.parse(content.get(), file, policy.hosts(), Machine.current());
        } catch (ConfigException e) {
            throw OperationException.invalid(e.problem(), e.remedy());
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }
}
