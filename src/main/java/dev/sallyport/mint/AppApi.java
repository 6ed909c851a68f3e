package dev.sallyport.mint;

import dev.sallyport.config.Limits;
import dev.sallyport.config.SecureResolver;
import dev.sallyport.credential.AppAnswer;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.credential.Secret;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.mint.AppApi.AppCalls.Said;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Protocol;
import dev.sallyport.upstream.Resolver;
import dev.sallyport.upstream.WebOrder;
import dev.sallyport.upstream.WholeAnswer;
import dev.sallyport.upstream.WholeAnswer.Outcome;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The few calls that an App makes: where it is installed, a token for that, and the end of a
/// token. Each blocks until it has its answer or gives up.
public final class AppApi {
    private static final byte[] NOTHING = {};

    private final AppCalls calls;
    private final InstantSource clock;

    /// @param loop where connections are served
    public AppApi(
            Limits.Upstream limits,
            Optional<SecureResolver> resolver,
            EventLoop loop,
            InstantSource clock) {
        this.calls = new AppCalls(limits, resolver, loop);
        this.clock = clock;
    }

    /// What is to be had of what is wanted.
    ///
    /// @param scope what a token can be minted for
    /// @param lacking sentences about the rest
    public record Sight(long installation, TokenScope scope, List<String> lacking) {}

    /// A token, as GitHub described it.
    public record Minted(Secret token, Instant expires) {}

    /// Looks where the App is installed and what it may do there.
    ///
    /// @throws MintException when nothing of it is to be had
    public Sight look(App app, TokenScope wanted) throws MintException {
        List<String> lacking = new ArrayList<>();
        Optional<AppAnswer> found = Optional.empty();
        NavigableSet<String> installed = new TreeSet<>();
        Optional<MintException> absent = Optional.empty();
        for (String name : wanted.names()) {
            try {
                AppAnswer seen = installation(app, repository(wanted, name));
                if (found.isEmpty() || found.get().id().equals(seen.id())) {
                    found = Optional.of(seen);
                    installed.add(name);
                }
            } catch (NotInstalledException e) {
                lacking.add(e.problem.sentence());
                absent = Optional.of(e.problem);
            }
        }
        if (wanted.names().isEmpty()) {
            found = Optional.of(ofOwner(app, wanted));
        }
        if (found.isEmpty()) {
            throw absent.orElseThrow();
        }
        return sight(found.get(), wanted.only(installed), lacking);
    }

    private static Sight sight(AppAnswer found, TokenScope wanted, List<String> lacking)
            throws MintException {
        if (found.suspended()) {
            throw new MintException(
                    "suspended",
                    "The installation of the GitHub App for %s is suspended. Unsuspend it on GitHub."
                            .formatted(wanted.owner()));
        }
        TokenScope within = wanted.within(found.permissions());
        String missing = missing(wanted, within);
        if (!within.serves(wanted)) {
            throw new MintException(
                    "lacks-permission",
                    "The GitHub App may not do what the rules allow for %s. Give it the permission %s in its settings on GitHub, and accept that in its installation."
                            .formatted(wanted.repositories(), missing));
        }
        if (!missing.isEmpty()) {
            lacking.add(
                    "The GitHub App lacks permissions for %s, and what needs them will not work: %s."
                            .formatted(wanted.repositories(), missing));
        }
        return new Sight(found.id().orElseThrow(), within, List.copyOf(lacking));
    }

    /// `workflows` is asked for only in case, and said by nobody to be missing.
    private static String missing(TokenScope wanted, TokenScope within) {
        return wanted.permissions().entrySet().stream()
                .filter(e -> !e.getKey().equals("workflows"))
                .filter(e -> !within.covers(Map.of(e.getKey(), e.getValue())))
                .map(e -> e.getKey() + ": " + e.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String repository(TokenScope wanted, String name) {
        return "/repos/" + wanted.owner() + "/" + name;
    }

    /// An owner is an organization or a person.
    private AppAnswer ofOwner(App app, TokenScope wanted) throws MintException {
        try {
            return installation(app, "/orgs/" + wanted.owner());
        } catch (NotInstalledException _) {
            try {
                return installation(app, "/users/" + wanted.owner());
            } catch (NotInstalledException e) {
                throw e.problem;
            }
        }
    }

    private static final class NotInstalledException extends Exception {
        private static final long serialVersionUID = 1L;
        private final MintException problem;

        NotInstalledException(MintException problem) {
            super(problem);
            this.problem = problem;
        }
    }

    private AppAnswer installation(App app, String of) throws MintException, NotInstalledException {
        Secret assertion = app.key().assertion(app.issuer(), clock.instant());
        Said said =
                calls.ask(app.permit(), app.api(), "GET", of + "/installation", assertion, NOTHING);
        if (said.status() == 404) {
            throw new NotInstalledException(
                    new MintException(
                            "not-installed",
                            "The GitHub App is not installed for %s, or there is no such repository. Install it there, or let its installation select the repository."
                                    .formatted(of.substring(of.indexOf('/', 1) + 1))));
        }
        AppAnswer answer = said.expect(200);
        if (answer.id().isEmpty()) {
            throw AppCalls.unexpected("malformed");
        }
        return answer;
    }

    /// A token that can do what the scope says and no more.
    public Minted mint(App app, Sight sight) throws MintException {
        Secret assertion = app.key().assertion(app.issuer(), clock.instant());
        String path = "/app/installations/" + sight.installation() + "/access_tokens";
        byte[] question = question(sight.scope()).getBytes(StandardCharsets.US_ASCII);
        Said said = calls.ask(app.permit(), app.api(), "POST", path, assertion, question);
        if (said.status() == 422) {
            throw new MintException(
                    "status-422",
                    "GitHub gives no token for %s with %s. Check the repositories and permissions of the App's installation."
                            .formatted(sight.scope().repositories(), sight.scope().allowed()));
        }
        AppAnswer answer = said.expect(201);
        if (answer.token().isEmpty()) {
            throw AppCalls.unexpected("malformed");
        }
        Secret token = answer.token().get();
        boolean named = !sight.scope().names().isEmpty();
        boolean wide = !sight.scope().covers(answer.permissions()) || (named && answer.all());
        if (wide || answer.expires().filter(clock.instant()::isBefore).isEmpty()) {
            revokeOrWipe(app, token);
            throw AppCalls.unexpected(wide ? "too-wide" : "malformed");
        }
        return new Minted(token, answer.expires().get());
    }

    /// What nobody asked for is not kept.
    private void revokeOrWipe(App app, Secret token) {
        try {
            revoke(app.permit(), app.api(), token);
        } catch (MintException _) {
            // It ends by itself.
        } finally {
            token.wipe();
        }
    }

    /// All of it is made of names and words that need no escape.
    private static String question(TokenScope scope) {
        String permissions =
                scope.permissions().entrySet().stream()
                        .map(e -> quoted(e.getKey()) + ":" + quoted(e.getValue()))
                        .collect(Collectors.joining(",", "{", "}"));
        String names =
                scope.names().stream()
                        .map(AppApi::quoted)
                        .collect(Collectors.joining(",", "[", "]"));
        return scope.names().isEmpty()
                ? "{\"permissions\":" + permissions + "}"
                : "{\"repositories\":" + names + ",\"permissions\":" + permissions + "}";
    }

    private static String quoted(String word) {
        return "\"" + word + "\"";
    }

    /// Ends a token before its time. One that GitHub does not know any more has ended.
    ///
    /// @param permit with which it was minted
    public void revoke(EgressPermit permit, ApiHost api, Secret token) throws MintException {
        Said said = calls.ask(permit, api, "DELETE", "/installation/token", token.copy(), NOTHING);
        if (said.status() != 204 && said.status() != 401) {
            throw AppCalls.unexpected("status-" + said.status());
        }
    }

    /// One call to GitHub's API after the other, and what an answer means whatever was asked.
    static final class AppCalls {
        private final Limits.Upstream limits;
        private final Optional<SecureResolver> resolver;
        private final EventLoop loop;
        private @Nullable Client client;

        AppCalls(Limits.Upstream limits, Optional<SecureResolver> resolver, EventLoop loop) {
            this.limits = limits;
            this.resolver = resolver;
            this.loop = loop;
        }

        /// Not before there is an App: most wardens never need one, and are to stay small.
        private synchronized Client client() {
            Client present = client;
            if (present == null) {
                Resolver names = Resolver.of(resolver);
                present = new Client(limits, List.of(), Client.Ways.of(limits, names, names));
                client = present;
            }
            return present;
        }

        /// @param answer of one that says yes
        record Said(int status, Optional<AppAnswer> answer) {
            AppAnswer expect(int wanted) throws MintException {
                if (status == wanted) {
                    return answer.orElseThrow(() -> unexpected("malformed"));
                }
                throw switch (status) {
                    case 401 ->
                            new MintException(
                                    "status-401",
                                    "GitHub does not accept the key of the GitHub App. Check that the key belongs to the App with this id and that the clock of this machine is right; then run: sallyport secret set NAME --kind github-app --app ID < key.pem");
                    case 403, 429 ->
                            new MintException(
                                    "status-" + status,
                                    "GitHub refuses the GitHub App (status "
                                            + status
                                            + "). It may have asked too often, its installation may be suspended, or this address may not be allowed.");
                    default -> unexpected("status-" + status);
                };
            }
        }

        static MintException unexpected(String code) {
            return new MintException(
                    code,
                    "GitHub cannot be asked for a token of the GitHub App (%s). Sallyport tries again by itself."
                            .formatted(code));
        }

        /// @param bearer wiped afterwards
        Said ask(
                EgressPermit permit,
                ApiHost api,
                String method,
                String path,
                Secret bearer,
                byte[] question)
                throws MintException {
            CredentialBook book =
                    new CredentialBook(
                            List.of(),
                            List.of(
                                    new InjectedCredential(
                                            Policy.MINTING.secret(), permit.host(), bearer)));
            Client way = client();
            try {
                WebOrder order = order(permit, method, api.restRoot() + path, question.length);
                Outcome outcome =
                        WholeAnswer.of(way, loop, order, book, question, AppAnswer.BYTES_MAX)
                                .join();
                return read(outcome);
            } finally {
                way.end(book);
                book.wipe();
            }
        }

        private static WebOrder order(
                EgressPermit permit, String method, String target, int length) {
            Map<String, String> fields =
                    new HashMap<>(
                            Map.of(
                                    "accept", "application/vnd.github+json",
                                    "accept-encoding", "identity",
                                    "x-github-api-version", "2022-11-28",
                                    "user-agent", "sallyport"));
            if (length > 0) {
                fields.put("content-type", "application/json");
            }
            BodyFraming framing = BodyFraming.of(length);
            return new WebOrder(permit, true, method, target, fields, framing, Protocol.HTTP_1_1);
        }

        private static Said read(Outcome outcome) throws MintException {
            return switch (outcome) {
                case Outcome.Unanswered(String why) -> throw unexpected(why);
                case Outcome.Answered(int status, Optional<byte[]> json) -> {
                    Optional<AppAnswer> answer =
                            status < 300 ? json.flatMap(AppAnswer::parse) : Optional.empty();
                    json.ifPresent(body -> Arrays.fill(body, (byte) 0));
                    yield new Said(status, answer);
                }
            };
        }
    }
}
