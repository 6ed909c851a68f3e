package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "ui",
        description = "Print a link to a page that shows sandboxes and decisions in a browser.",
        footer = {
            "",
            "The link works once, within a minute, for your account on this machine. The",
            "page stays until --stop or the end of the daemon; a session on it lasts 12",
            "hours.",
            "",
            "Examples:",
            "  sallyport ui --open",
            "  sallyport ui --stop"
        })
final class UiCommand extends SucceedingCommand {
    @Option(names = "--open", description = "Open the link in your browser, with xdg-open.")
    private boolean open;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "Port of 127.47.11.1. Default: one that is free.")
    private @Nullable Integer port;

    @Option(names = "--stop", description = "Close the page and end all its sessions.")
    private boolean stop;

    @Override
    void act() throws IOException, ControlException, CliException {
        if (stop) {
            Optional<ControlClient> running = output.wardens().connect();
            if (running.isPresent()) {
                try (ControlClient warden = running.get()) {
                    warden.closePage();
                }
            }
            output.answer(new Api.Done(), "the page is closed\n");
            return;
        }
        Api.PageLink link;
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            link = warden.openPage(new Api.OpenPage(Optional.ofNullable(port)));
        }
        if (open) {
            show(link.url());
        }
        output.answer(link, link.url() + "\n");
        output.progress("works once, until " + link.expires());
    }

    /// Other accounts can read a command line; the link is of no use to them.
    private void show(String url) {
        try {
            new ProcessBuilder("xdg-open", url)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            output.warn("xdg-open cannot be started; open the link yourself.");
        }
    }
}
