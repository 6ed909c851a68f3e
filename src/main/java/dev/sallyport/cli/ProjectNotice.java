package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.TrustedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/// Tells the person that a project brings rules along which do not count, because nobody trusts
/// them or they were changed since. Whether they count is the warden's to decide.
record ProjectNotice(Output output, Path workspace) {
    void give() {
        Path file = workspace.resolve(ProjectFile.NAME);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Home home = Home.resolve(output.surroundings().environment());
            Optional<byte[]> content = ProjectFile.read(file);
            if (content.isEmpty()
                    || !new TrustedFiles(home.trustedFiles()).isTrusted(file, content.get())) {
                output.warn(
                        file
                                + " is not trusted in its current state, so its rules are not used."
                                + " Read it, then run: sallyport policy trust "
                                + file);
            }
        } catch (IOException e) {
            output.warn(file + " cannot be read, so its rules are not used.");
        }
    }
}
