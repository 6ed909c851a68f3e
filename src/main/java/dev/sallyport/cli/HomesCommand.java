package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The home directories that outlive their sandboxes.
@Command(
        name = "homes",
        subcommands = HomesCommand.Remove.class,
        description = "List the home directories that are kept for projects and sandboxes.",
        footer = {
            "",
            "Examples:",
            "  sallyport homes",
            "  sallyport homes remove ~/src/app",
            "  sallyport homes remove --unused 30d"
        })
final class HomesCommand extends WardenCommand {
    @Override
    void ask(ControlClient warden) throws IOException, ControlException, CliException {
        Api.HomeList list;
        try (Waiting _ = output.waiting("measuring home directories")) {
            list = warden.homes();
        }
        output.answer(list, text(list));
    }

    private String text(Api.HomeList list) {
        Table table = new Table("HOME OF", "SIZE", "LAST USED", "IN USE BY");
        for (Api.HomeView home : list.homes()) {
            table.row(
                    home.of(),
                    home.bytes().map(bytes -> (bytes >> 10) + "k").orElse("unknown"),
                    home.lastUsed(),
                    home.sandboxes().isEmpty() ? "-" : String.join(" ", home.sandboxes()));
        }
        return table.render(output.surroundings().outInk(), "No home directories are kept.\n");
    }

    @Command(
            name = "remove",
            aliases = "rm",
            description = "Remove home directories that no running sandbox uses.")
    static final class Remove extends WardenCommand {
        @ArgGroup(multiplicity = "1")
        private Which which = new Which();

        /// One of the two.
        static final class Which {
            @Parameters(
                    paramLabel = "NAME|PATH",
                    description = "Sandbox, or directory of the project, as listed by homes.")
            private @Nullable String of;

            @Option(
                    names = "--unused",
                    paramLabel = "DURATION",
                    description =
                            "All homes of projects that were not used for this long, such as 30d.")
            private @Nullable String unused;
        }

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            Api.HomesRemoved removed =
                    warden.removeHomes(
                            new Api.RemoveHomes(
                                    Optional.ofNullable(which.of).map(this::named),
                                    Optional.ofNullable(which.unused)));
            StringBuilder text = new StringBuilder();
            removed.removed()
                    .forEach(of -> text.append("removed ").append(Printable.of(of)).append('\n'));
            output.answer(removed, text.isEmpty() ? "nothing to remove\n" : text.toString());
        }

        /// The project may be gone, so its directory need not exist.
        private String named(String of) {
            if (!of.contains("/") && !of.startsWith(".")) {
                return of;
            }
            Path path = output.surroundings().directory().resolve(of).normalize();
            try {
                return path.toRealPath().toString();
            } catch (IOException e) {
                return path.toString();
            }
        }
    }
}
