package dev.sallyport.demo;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Plays the story from beginning to end: makes everything, tries each claim from inside a real
/// sandbox, and takes everything down.
public final class Demo {
    /// One thing to try.
    interface Trial {
        Claim run() throws IOException;
    }

    private final DemoListener stage;
    private final List<String> program;
    private final List<Claim> claims = new ArrayList<>();

    /// Prepares; nothing happens before [#play].
    ///
    /// @param program how the command line is started, without arguments
    public Demo(DemoListener stage, List<String> program) {
        this.stage = stage;
        this.program = List.copyOf(program);
    }

    public Outcome play() throws IOException, GeneralSecurityException, DemoException {
        Instant begin = Instant.now();
        Needs.satisfy(stage);
        stage.step("starting a git server with TLS, a token and two private repositories");
        try (Theatre theatre = Theatre.build(program)) {
            // The person may interrupt at any time; nothing is to be left then either.
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(theatre::close));
            open(theatre);
            tryAll(theatre);
            stage.step("cleaning up");
        }
        double seconds = Duration.between(begin, Instant.now()).toMillis() / 1_000.0;
        return new Outcome(claims.stream().allMatch(Claim::holds), seconds, claims);
    }

    private void open(Theatre theatre) throws IOException, DemoException {
        stage.step("starting the daemon and giving it the token");
        must(
                theatre.sallyportWithInput(
                        theatre.token() + "\n",
                        "secret",
                        "set",
                        "demo",
                        "--host",
                        Theatre.HOST,
                        "--user",
                        Theatre.USER));
        String ready = theatre.ask("status").path("runtimes").path("bubblewrap").asText("missing");
        if (!ready.equals("ready")) {
            throw new DemoException("Bubblewrap cannot be used here: " + ready);
        }
        stage.step("creating a sandbox that may use only acme/app");
        must(
                theatre.sallyport(
                        "new",
                        "--ephemeral-home",
                        "--name",
                        Theatre.SANDBOX,
                        "--runtime",
                        "bubblewrap",
                        "--workspace",
                        theatre.workspace().toString(),
                        "--repo",
                        Theatre.HOST + "/acme/app:write"));
    }

    private static void must(Shell.Said said) throws DemoException {
        if (!said.ok()) {
            throw new DemoException(said.text().strip());
        }
    }

    private void tryAll(Theatre theatre) throws IOException {
        GitTrials git = new GitTrials(theatre);
        IsolationTrials isolation = new IsolationTrials(theatre);
        EndTrials end = new EndTrials(theatre);
        List<Trial> trials =
                List.of(
                        git::privateRepositoryIsCloned,
                        git::allowedBranchArrives,
                        git::mainIsRejected,
                        git::contentIsJudged,
                        git::otherRepositoryIsRefused,
                        git::missingRepositoryLooksTheSame,
                        new SecretTrial(theatre)::tokenIsNowhere,
                        isolation::onlyLoopback,
                        isolation::noDirectConnection,
                        isolation::namesOutsidePolicyDoNotExist,
                        isolation::controlIsInvisible,
                        isolation::systemIsReadOnly,
                        isolation::noPrivileges,
                        end::gatewayIsReplaced,
                        end::statusIsPassedOn,
                        end::recordHolds,
                        end::flippedBitIsFound,
                        end::nothingIsLeft);
        for (Trial trial : trials) {
            Claim claim = trial.run();
            claims.add(claim);
            stage.tried(claim);
        }
    }
}
