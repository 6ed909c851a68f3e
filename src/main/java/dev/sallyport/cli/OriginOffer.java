package dev.sallyport.cli;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/// Offers the workspace's origin when the person named no repository. Whoever ran in the workspace
/// before may have written it, so it is used only after somebody has agreed to it (I7).
record OriginOffer(Output output) {
    /// @param yes whether the person has agreed beforehand
    List<String> repos(Origin origin, boolean yes) throws CliException {
        return switch (origin) {
            case Origin.None() -> {
                output.progress("no repository: the workspace has no origin (--repo names one)");
                yield List.of();
            }
            case Origin.Unusable(String why) -> {
                output.warn("No repository: the origin of this workspace " + why + ". Use --repo.");
                yield List.of();
            }
            case Origin.Found(var repo) -> accept(repo.toString(), yes);
        };
    }

    private List<String> accept(String repo, boolean yes) throws CliException {
        String offer =
                repo
                        + " (the workspace's origin), as your policy.yaml says; if it says nothing, read and write, push to agent/** only";
        if (yes) {
            output.notice("using " + offer);
        } else if (output.isJson() || !isAnswerable()) {
            output.warn(
                    "No repository: nobody can be asked whether to use "
                            + repo
                            + ", the origin of this workspace. Use --repo "
                            + repo
                            + " or --yes.");
            return List.of();
        } else if (!isAgreed("Use " + offer + "? [Y/n] ")) {
            output.progress("no repository");
            return List.of();
        }
        return List.of(repo);
    }

    private boolean isAnswerable() {
        Terminal terminal = output.surroundings().terminal();
        return terminal.in() && terminal.err();
    }

    private boolean isAgreed(String question) throws CliException {
        output.surroundings().err().print(question);
        output.surroundings().err().flush();
        try {
            String answer = Terminal.readLine().orElse("no").toLowerCase(Locale.ROOT);
            return answer.isEmpty() || answer.equals("y") || answer.equals("yes");
        } catch (IOException e) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "no-answer",
                    "The terminal cannot be read.",
                    "Use --repo, --no-repo or --yes.");
        }
    }
}
