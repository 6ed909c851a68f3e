package dev.sallyport.demo;

import java.io.IOException;
import java.util.regex.Pattern;

/// What git can and cannot do from inside.
record GitTrials(Theatre theatre) {
    private static final String APP = "https://" + Theatre.HOST + "/acme/app.git";

    /// Put together, they have the form of a token and open nothing.
    private static final String TWO_HALVES = "Zq7Lm2Pw8Ks4Xy9Rt3 Vb6Nh1Jd5Gf0Cu8Ae2";

    private static final String PLANS = "https://" + Theatre.HOST + "/acme/secret-plans.git";
    private static final String IDENTITY =
            "git config user.name Agent && git config user.email agent@demo.test && ";

    /// The id of a refusal, the one thing that may differ between two.
    private static final Pattern ID = Pattern.compile("(?im)^(sallyport-id|id): .*$");

    Claim privateRepositoryIsCloned() throws IOException {
        Shell.Said clone =
                theatre.inside("git clone -q " + APP + " app && git -C app rev-parse HEAD");
        String upstream = theatre.upstreamRef("acme/app", "main").orElse("none");
        boolean anonymous =
                theatre.upstream().requests().stream().anyMatch(request -> !request.authorized());
        return new Evidence()
                .check(clone.ok(), "clone failed: " + clone.lastLine())
                .require(clone.out().strip().equals(upstream), "same commit as upstream")
                .require(isHostRefused(), "the server refuses access without the token")
                .check(!anonymous, "the gateway asked without the token")
                .claim("a private repository is cloned, without a credential inside");
    }

    /// The positive control: without the token this server says no.
    private boolean isHostRefused() throws IOException {
        int before = theatre.upstream().requests().size();
        try {
            Git.run(
                    theatre.scratch(),
                    "-c",
                    "http.sslCAInfo=" + theatre.home().resolve("demo-ca.pem"),
                    "-c",
                    "http.curloptResolve=%s:%s:127.0.0.1"
                            .formatted(Theatre.HOST, theatre.upstream().port()),
                    "ls-remote",
                    "https://" + Theatre.HOST + ":" + theatre.upstream().port() + "/acme/app.git");
            return false;
        } catch (IOException e) {
            return theatre.upstream().requests().size() > before;
        }
    }

    Claim allowedBranchArrives() throws IOException {
        Shell.Said push =
                theatre.inside(
                        "cd app && "
                                + IDENTITY
                                + "git checkout -q -b agent/demo && echo 2 >app.txt &&"
                                + " git commit -qam 'Change the app' &&"
                                + " git push -q origin agent/demo && git rev-parse HEAD");
        String upstream =
                theatre.upstreamRef("acme/app", "refs/heads/agent/demo").orElse("nothing");
        return new Evidence()
                .check(push.ok(), "push failed: " + push.lastLine())
                .require(push.out().strip().endsWith(upstream), "upstream has the new commit")
                .claim("a commit pushed to agent/** arrives upstream");
    }

    Claim mainIsRejected() throws IOException {
        String before = theatre.upstreamRefs("acme/app");
        Shell.Said push = theatre.inside("cd app && git push origin HEAD:main");
        return new Evidence()
                .require(
                        !push.ok() && push.text().contains("[remote rejected]"),
                        "[remote rejected]")
                .require(theatre.upstreamRefs("acme/app").equals(before), "upstream unchanged")
                .claim("a push to main is rejected");
    }

    /// Each is made in the same clone, and undone.
    Claim contentIsJudged() throws IOException {
        String before = theatre.upstreamRefs("acme/app");
        Shell.Said rewind =
                theatre.inside("cd app && git push --force origin HEAD~1:refs/heads/agent/demo");
        Shell.Said workflow =
                commitAndPush(
                        "mkdir -p .github/workflows && echo 'on: push' >.github/workflows/x.yml");
        Shell.Said credential = commitAndPush("printf 'ghp_%s%s' " + TWO_HALVES + " >token.txt");
        return new Evidence()
                .require(isRejected(rewind, "force-not-allowed"), "rewind rejected")
                .require(isRejected(workflow, "path-not-allowed"), "workflow rejected")
                .require(isRejected(credential, "secret-found"), "credential rejected")
                .require(theatre.upstreamRefs("acme/app").equals(before), "upstream unchanged")
                .claim("a rewind, a CI workflow and a credential are kept out of allowed branches");
    }

    private Shell.Said commitAndPush(String change) throws IOException {
        return theatre.inside(
                "cd app && %s%s && git add -A && git commit -qm x && git push origin HEAD:refs/heads/agent/x; pushed=$?; git reset -q --hard HEAD~1; exit $pushed"
                        .formatted(IDENTITY, change));
    }

    private static boolean isRejected(Shell.Said push, String reason) {
        return !push.ok() && push.text().contains("(sallyport: " + reason + ")");
    }

    Claim otherRepositoryIsRefused() throws IOException {
        String before = theatre.upstreamRefs("acme/secret-plans");
        Shell.Said push =
                theatre.inside("cd app && git push " + PLANS + " HEAD:refs/heads/agent/x");
        Shell.Said clone = theatre.inside("git clone " + PLANS + " plans");
        boolean asked =
                theatre.upstream().requests().stream()
                        .anyMatch(request -> request.path().contains("secret-plans"));
        return new Evidence()
                .require(!push.ok() && !clone.ok(), "push and clone denied")
                .require(theatre.upstreamRefs("acme/secret-plans").equals(before), "unchanged")
                .require(!asked, "upstream was not even asked")
                .claim("a repository that is not granted can be neither read nor written");
    }

    Claim missingRepositoryLooksTheSame() throws IOException {
        String forbidden = answerFor("secret-plans");
        String missing = answerFor("does-not-exist");
        return new Evidence()
                .check(forbidden.startsWith("HTTP/1.1 403"), "answer: " + firstLine(forbidden))
                .require(
                        ID.matcher(forbidden)
                                .replaceAll("")
                                .equals(ID.matcher(missing).replaceAll("")),
                        "identical except for the id")
                .check(!forbidden.equals(missing), "no id in the answer")
                .claim("a forbidden repository and a missing one get the same answer");
    }

    private String answerFor(String name) throws IOException {
        return theatre.inside(
                        "exec 3<>/dev/tcp/127.0.0.1/80 && printf 'GET /git/"
                                + Theatre.HOST
                                + "/acme/"
                                + name
                                + ".git/info/refs?service=git-upload-pack HTTP/1.1\\r\\n"
                                + "Host: gateway.sallyport\\r\\nConnection: close\\r\\n\\r\\n' >&3"
                                + " && timeout 10 cat <&3")
                .out();
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("none");
    }
}
