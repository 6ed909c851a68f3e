package dev.sallyport.warden;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Machine;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.policy.EgressRule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/// The rules of a workspace's own file, when a person trusts its bytes. Bytes that nobody trusts
/// are hashed and not parsed: a sandbox may have written them (I7).
record ProjectRules(Home home, PolicyFile policy) {
    private static final int BYTES_MAX = 1 << 20;

    List<EgressRule> of(Path workspace) throws OperationException {
        Path file = workspace.resolve(ProjectFile.NAME);
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return List.of();
            }
            byte[] content;
            try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                content = in.readNBytes(BYTES_MAX + 1);
            }
            if (content.length > BYTES_MAX
                    || !new TrustedFiles(home.trustedFiles()).isTrusted(file, content)) {
                return List.of();
            }
            return ProjectFile.parse(content, file, policy.hosts(), Machine.current()).rules();
        } catch (ConfigException e) {
            throw OperationException.invalid(e.problem(), e.remedy());
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }
}
