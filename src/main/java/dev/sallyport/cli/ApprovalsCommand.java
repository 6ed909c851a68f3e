package dev.sallyport.cli;

import dev.sallyport.control.ApprovalsApi;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "approvals",
        description = "List requests that wait for your answer.",
        subcommands = ApprovalsCommand.Show.class,
        footer = {
            "",
            "Examples:",
            "  sallyport approvals",
            "  sallyport approvals show k3f9x2mqab",
            "  sallyport approve k3f9x2mqab",
            "",
            "What needs your answer is set with ask: in policy.yaml. Questions that nobody",
            "answers in time are denied."
        })
final class ApprovalsCommand extends WardenCommand {
    @Override
    void ask(ControlClient warden) throws IOException, ControlException, CliException {
        ApprovalsApi.ApprovalList list = warden.approvals();
        Ink ink = output.surroundings().outInk();
        output.answer(list, text(list.approvals(), Instant.now(), ink));
    }

    private static String text(List<ApprovalsApi.ApprovalView> views, Instant now, Ink ink) {
        Table table = new Table("ID", "SANDBOX", "WHAT", "TARGET", "SUMMARY", "LEFT");
        views.forEach(
                view ->
                        table.row(
                                view.id(),
                                view.sandbox(),
                                view.kind(),
                                view.target(),
                                view.summary(),
                                ApprovalText.left(view, now)));
        return table.render(ink, "Nothing waits for an answer.\n");
    }

    @Command(
            name = "show",
            description = "Show one question with everything that would happen.",
            footer = {"", "Example:", "  sallyport approvals show k3f9x2mqab"})
    static final class Show extends WardenCommand {
        @Parameters(paramLabel = "ID", description = "Id of the question.")
        private String id = "";

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            ApprovalsApi.Approval approval = warden.approval(id);
            output.answer(approval, text(approval, output.surroundings().outInk()));
        }
    }

    private static String text(ApprovalsApi.Approval approval, Ink ink) {
        return ApprovalText.lines(approval, Instant.now()).stream()
                        .map(line -> ApprovalText.painted(line, ink))
                        .collect(Collectors.joining("\n"))
                + "\n";
    }

    @Command(
            name = "approve",
            description = "Approve a request. Shows it first, unless you pass --digest.",
            footer = {
                "",
                "Examples:",
                "  sallyport approve k3f9x2mqab",
                "  sallyport approve k3f9x2mqab --digest SHA256",
                "",
                "Get the digest with: sallyport approvals show ID --json"
            })
    static final class Approve implements Callable<Integer> {
        @Mixin private Output output;
        @Mixin private Answering answering;

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            return answering.answer(output, "yes");
        }
    }

    @Command(
            name = "deny",
            description = "Deny a request.",
            footer = {"", "Example:", "  sallyport deny k3f9x2mqab --note \"add a test first\""})
    static final class Deny implements Callable<Integer> {
        @Mixin private Output output;
        @Mixin private Answering answering;

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            return answering.answer(output, "no");
        }
    }

    /// What both answers take.
    static final class Answering {
        @Parameters(paramLabel = "ID", description = "Id of the question.")
        private String id = "";

        @Option(
                names = "--digest",
                paramLabel = "SHA256",
                description = "Answer only if the question has this digest.")
        private String digest = "";

        @Option(
                names = {"-m", "--note"},
                paramLabel = "TEXT",
                description = "One-line message to the sandbox.")
        private String note = "";

        /// Nobody says yes to what they have not seen: the id comes from the sandbox.
        private boolean isSeen(Output output, ApprovalsApi.Approval approval)
                throws IOException, CliException {
            if (!output.isAnswerable()) {
                throw ExitCode.REFUSED.because(
                        "not-seen",
                        "There is no terminal, so nobody has seen what this says yes to.",
                        "Look at it with: sallyport approvals show ID --json, and add --digest with its digest.");
            }
            Surroundings surroundings = output.surroundings();
            surroundings.err().print(text(approval, surroundings.errInk()));
            return output.isAgreed("Say yes to this? [y/N] ", false);
        }

        /// Names the digest of what was shown, so that it is to this and nothing else.
        int answer(Output output, String answer)
                throws IOException, ControlException, CliException {
            try (ControlClient warden = output.wardens().connectOrStart(output)) {
                ApprovalsApi.Approval approval = warden.approval(id);
                ApprovalsApi.ApprovalView view = approval.view();
                if (answer.equals("yes") && digest.isEmpty() && !isSeen(output, approval)) {
                    return ExitCode.REFUSED.status();
                }
                ApprovalsApi.ApprovalAnswered done =
                        warden.answer(
                                id,
                                new ApprovalsApi.AnswerApproval(
                                        answer,
                                        digest.isEmpty() ? view.digest() : digest,
                                        Surroundings.account(),
                                        "cli",
                                        note));
                output.answer(
                        done,
                        (answer.equals("yes") ? "Approved: " : "Denied: ")
                                + Printable.of(view.summary())
                                + " ("
                                + Printable.of(view.sandbox() + ", " + view.target())
                                + ")\n");
            }
            return ExitCode.OK.status();
        }
    }
}
