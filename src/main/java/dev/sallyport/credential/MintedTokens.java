package dev.sallyport.credential;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// The tokens of a GitHub App that were minted for one session at one host. Each is good for some
/// repositories and either for git or for the API; which are there changes with the session's book.
public record MintedTokens(HostName host, List<Token> tokens) implements CredentialSource {
    public MintedTokens {
        tokens = List.copyOf(tokens);
    }

    /// What a token is for.
    public enum Use {
        GIT,
        API;

        /// The one with this label.
        public static Optional<Use> of(String label) {
            return Arrays.stream(values()).filter(use -> use.label().equals(label)).findFirst();
        }

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// One of them.
    ///
    /// @param access of git: `WRITE` pushes, too
    /// @param credential absent when it is to be minted, or cannot be
    /// @param failed whether it cannot be minted just now
    public record Token(
            Use use,
            List<RepoPattern> repos,
            Access access,
            Optional<Credential> credential,
            boolean failed) {
        public Token {
            repos = List.copyOf(repos);
        }

        private boolean covers(RepoName repo) {
            RepoPattern asked =
                    new RepoPattern(repo.host(), repo.owner(), Optional.of(repo.name()));
            return repos.stream().anyMatch(pattern -> pattern.covers(asked));
        }
    }

    private Stream<Token> fitting(Permit permit) {
        return switch (permit) {
            case GitPermit git ->
                    tokens.stream()
                            .filter(token -> token.use() == Use.GIT)
                            .filter(token -> token.covers(git.repo()))
                            .filter(t -> t.access().compareTo(git.service().needs()) >= 0);
            case ApiPermit api ->
                    tokens.stream()
                            .filter(token -> token.use() == Use.API)
                            .filter(token -> token.covers(api.repo()));
            case EgressPermit _ -> Stream.empty();
        };
    }

    @Override
    public Found find(Permit permit) {
        if (held(permit).isPresent()) {
            return new Found.There();
        }
        boolean awaited = fitting(permit).anyMatch(t -> t.credential().isEmpty() && !t.failed());
        return awaited ? new Found.Awaited() : new Found.Missing(Refusal.TOKEN_NOT_MINTED);
    }

    @Override
    public Optional<Credential> held(Permit permit) {
        return fitting(permit).flatMap(token -> token.credential().stream()).findFirst();
    }

    @Override
    public List<Secret> secrets() {
        return tokens.stream()
                .flatMap(token -> token.credential().stream())
                .map(Credential::secret)
                .toList();
    }

    @Override
    public void wipe() {
        tokens.forEach(token -> token.credential().ifPresent(c -> c.secret().wipe()));
    }
}
