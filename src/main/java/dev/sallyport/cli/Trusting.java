package dev.sallyport.cli;

import dev.sallyport.config.TrustedFiles;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// Changes one's own list of trusted project files, or has the warden do it where root keeps it.
record Trusting(Wardens wardens, Output output) {
    void trust(Path file, byte[] content) throws IOException, ControlException, CliException {
        if (wardens.service().isPresent()) {
            ask(new Api.Trust(file.toString(), Optional.of(TrustedFiles.digest(content))));
        } else {
            own().trust(file, content);
        }
    }

    void forget(Path file) throws IOException, ControlException, CliException {
        if (wardens.service().isPresent()) {
            ask(new Api.Trust(file.toString(), Optional.empty()));
        } else {
            own().forget(file);
        }
    }

    private void ask(Api.Trust request) throws IOException, ControlException, CliException {
        try (ControlClient warden = wardens.connectOrStart(output)) {
            warden.trust(request);
        }
    }

    private TrustedFiles own() throws IOException {
        wardens.home().create();
        return new TrustedFiles(wardens.home().trustedFiles());
    }
}
