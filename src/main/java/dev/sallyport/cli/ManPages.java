package dev.sallyport.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// Writes one manual page for each command, from what `--help` is made of. They bear no date, so
/// that two builds of the same sources are the same.
record ManPages(Path directory) {
    void write() throws IOException {
        Files.createDirectories(directory);
        write(Commands.tree(Surroundings.ofThisProcess()).getCommandSpec());
    }

    private void write(CommandSpec command) throws IOException {
        Files.writeString(directory.resolve(title(command) + ".1"), page(command));
        for (CommandLine sub : command.subcommands().values()) {
            write(sub.getCommandSpec());
        }
    }

    /// `git`'s way: the page of `sallyport policy check` is `sallyport-policy-check`.
    private static String title(CommandSpec command) {
        return command.qualifiedName("-");
    }

    static String page(CommandSpec command) {
        StringBuilder page = new StringBuilder();
        page.append(".TH \"" + title(command).toUpperCase(java.util.Locale.ROOT) + "\" \"1\" \"\" ")
                .append("\"Sallyport\" \"Sallyport Manual\"\n");
        String[] about = command.usageMessage().description();
        section(page, "NAME");
        page.append(text(title(command)) + " \\- " + text(first(about)) + "\n");
        section(page, "SYNOPSIS");
        page.append(
                "\\fB" + text(command.qualifiedName()) + "\\fR " + text(synopsis(command)) + "\n");
        section(page, "DESCRIPTION");
        Arrays.stream(about).forEach(line -> page.append(text(line) + "\n"));
        subcommands(page, command);
        parameters(page, command);
        options(page, command);
        footer(page, List.of(command.usageMessage().footer()));
        seeAlso(page, command);
        return page.toString();
    }

    private static void section(StringBuilder page, String name) {
        page.append(".SH " + name + "\n");
    }

    private static String first(String[] about) {
        return about.length == 0 ? "" : about[0].replaceFirst("\\.$", "");
    }

    private static String synopsis(CommandSpec command) {
        StringBuilder synopsis = new StringBuilder("[OPTION]...");
        if (!command.subcommands().isEmpty()) {
            synopsis.append(" COMMAND");
        }
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            boolean optional = parameter.arity().min() == 0;
            String label = parameter.paramLabel() + (parameter.arity().max() > 1 ? "..." : "");
            synopsis.append(optional ? " [" + label + "]" : " " + label);
        }
        return synopsis.toString();
    }

    private static void subcommands(StringBuilder page, CommandSpec command) {
        if (command.subcommands().isEmpty()) {
            return;
        }
        section(page, "COMMANDS");
        command.subcommands().values().stream()
                .distinct()
                .map(CommandLine::getCommandSpec)
                .forEach(
                        sub -> {
                            List<String> names = List.of(sub.names().toArray(String[]::new));
                            entry(
                                    page,
                                    "\\fB" + text(String.join(", ", names)) + "\\fR",
                                    sub.usageMessage().description());
                        });
    }

    private static void parameters(StringBuilder page, CommandSpec command) {
        if (command.positionalParameters().isEmpty()) {
            return;
        }
        section(page, "PARAMETERS");
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            entry(page, "\\fI" + text(parameter.paramLabel()) + "\\fR", parameter.description());
        }
    }

    private static void options(StringBuilder page, CommandSpec command) {
        section(page, "OPTIONS");
        for (OptionSpec option : command.options()) {
            if (option.hidden()) {
                continue;
            }
            String names = "\\fB" + text(String.join(", ", option.names())) + "\\fR";
            String value =
                    option.arity().max() == 0 ? "" : " \\fI" + text(option.paramLabel()) + "\\fR";
            entry(page, names + value, option.description());
        }
    }

    private static void entry(StringBuilder page, String head, String[] description) {
        page.append(".TP\n" + head + "\n");
        Arrays.stream(description).forEach(line -> page.append(text(line) + "\n"));
    }

    /// Examples and tables of exit codes: lines that stand as they are.
    private static void footer(StringBuilder page, List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        section(page, "NOTES");
        page.append(".nf\n");
        lines.forEach(line -> page.append(text(line) + "\n"));
        page.append(".fi\n");
    }

    private static void seeAlso(StringBuilder page, CommandSpec command) {
        if (command.parent() != null) {
            section(page, "SEE ALSO");
            page.append(".BR " + text(title(command.parent())) + " (1)\n");
        }
    }

    /// A backslash, a hyphen, and a dot or quote at the start of a line mean something to troff.
    private static String text(String plain) {
        String escaped = plain.replace("\\", "\\e").replace("-", "\\-");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
