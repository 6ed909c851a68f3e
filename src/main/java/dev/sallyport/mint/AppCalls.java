package dev.sallyport.mint;

import dev.sallyport.config.Limits;
import dev.sallyport.config.SecureResolver;
import dev.sallyport.credential.AppAnswer;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.credential.Secret;
import dev.sallyport.http.BodyFraming;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One call to GitHub's API after the other, and what an answer means whatever was asked.
final class AppCalls {
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
                    WholeAnswer.of(way, loop, order, book, question, AppAnswer.BYTES_MAX).join();
            return read(outcome);
        } finally {
            way.end(book);
            book.wipe();
        }
    }

    private static WebOrder order(EgressPermit permit, String method, String target, int length) {
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
        BodyFraming framing = length > 0 ? new BodyFraming.Sized(length) : new BodyFraming.None();
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
