package dev.sallyport.cli;

import dev.sallyport.cli.SandboxName.SandboxNames;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/// What could stand where a person pressed the tab key. The scripts of all shells ask this, so that
/// there is one place that knows commands, options and sandboxes. Where nothing is known, a shell
/// offers files.
final class Completions {
    private final Wardens wardens;
    private final SortedMap<String, String> found = new TreeMap<>();

    Completions(Surroundings surroundings) {
        wardens = new Wardens(surroundings);
    }

    /// One word on each line, and after a tab what it means.
    ///
    /// @param words what stands after `sallyport`; the last one is to be completed, and may be
    ///   empty
    static void print(Surroundings surroundings, List<String> words) {
        SortedMap<String, String> found =
                new Completions(surroundings).of(Commands.tree(surroundings), words);
        found.forEach((word, about) -> surroundings.out().print(word + "\t" + about + "\n"));
        surroundings.out().flush();
    }

    SortedMap<String, String> of(CommandLine root, List<String> words) {
        if (words.size() > 1 && words.getFirst().equals(HelpCommand.NAME)) {
            return of(root, words.subList(1, words.size()));
        }
        CommandLine command = root;
        Optional<OptionSpec> open = Optional.empty();
        List<String> parameters = new ArrayList<>();
        for (String word : words.subList(0, Math.max(0, words.size() - 1))) {
            if (word.equals("--") || isForeign(command, parameters)) {
                return found;
            }
            if (open.isPresent()) {
                open = Optional.empty();
            } else if (word.startsWith("-")) {
                open = Optional.ofNullable(command.getCommandSpec().findOption(word));
                open = open.filter(option -> option.arity().min() > 0);
            } else if (command.getSubcommands().containsKey(word)) {
                command = command.getSubcommands().get(word);
            } else {
                parameters.add(word);
            }
        }
        if (!isForeign(command, parameters)) {
            offer(
                    command.getCommandSpec(),
                    open,
                    parameters,
                    words.isEmpty() ? "" : words.getLast());
        }
        return found;
    }

    /// What follows in `run COMMAND` and `exec NAME COMMAND` is for the sandboxed command.
    private static boolean isForeign(CommandLine command, List<String> parameters) {
        return command.isStopAtPositional()
                && parameters.size() >= command.getCommandSpec().positionalParameters().size();
    }

    private void offer(
            CommandSpec command, Optional<OptionSpec> open, List<String> parameters, String typed) {
        if (open.isPresent()) {
            values(open.get(), typed);
        } else if (typed.startsWith("-")) {
            command.options().stream()
                    .filter(option -> !option.hidden())
                    .forEach(option -> add(option.longestName(), option.description(), typed));
        } else {
            command.subcommands()
                    .forEach((name, sub) -> add(name, about(sub.getCommandSpec()), typed));
            positional(command, parameters.size()).ifPresent(value -> values(value, typed));
        }
    }

    private static Optional<PositionalParamSpec> positional(CommandSpec command, int index) {
        return command.positionalParameters().stream()
                .filter(parameter -> parameter.index().contains(index))
                .findFirst();
    }

    private void values(ArgSpec argument, String typed) {
        if (argument.completionCandidates() instanceof SandboxNames) {
            sandboxes().forEach((name, about) -> add(name, new String[] {about}, typed));
        } else if (argument.completionCandidates() != null) {
            argument.completionCandidates().forEach(word -> add(word, new String[0], typed));
        }
    }

    /// Of a daemon that runs. None is started for the sake of a tab.
    private Map<String, String> sandboxes() {
        Map<String, String> names = new TreeMap<>();
        try {
            wardens.askRunning(ControlClient::sandboxes).stream()
                    .flatMap(list -> list.sandboxes().stream())
                    .forEach(
                            view -> names.put(view.name(), view.state() + ", " + view.workspace()));
        } catch (IOException | ControlException e) {
            // Then there is nothing to offer.
        }
        return names;
    }

    private static String[] about(CommandSpec command) {
        return command.usageMessage().description();
    }

    private void add(String word, String[] about, String typed) {
        if (word.startsWith(typed)) {
            found.put(word, about.length == 0 ? "" : Printable.of(about[0]));
        }
    }
}
