package dev.sallyport.warden;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;

/// What a person writes after `--repo`: `[host/]owner/name[:read|:write]`. Without a host it is
/// github.com; without an access it is write, which means branches `agent/**` and nothing else.
final class RepoRequest {
    private static final String FORM = "Write it as [host/]owner/name[:read|:write].";

    private RepoRequest() {}

    static RepoGrant parse(String text, PolicyFile policy) throws OperationException {
        int colon = text.lastIndexOf(':');
        String repo = colon < 0 ? text : text.substring(0, colon);
        Access access = colon < 0 ? Access.WRITE : access(text.substring(colon + 1));
        boolean hasHost = repo.chars().filter(c -> c == '/').count() == 2;
        RepoPattern pattern = pattern(hasHost ? repo : GitHost.GITHUB.name() + "/" + repo);
        requireKnown(pattern, policy);
        return new RepoGrant(pattern, access, RefVisibility.all(), rules(access));
    }

    private static Access access(String word) throws OperationException {
        return switch (word) {
            case "read" -> Access.READ;
            case "write" -> Access.WRITE;
            default -> throw malformed("its access is neither read nor write");
        };
    }

    private static PushRules rules(Access access) {
        return switch (access) {
            case READ -> PushRules.none();
            case WRITE -> PushRules.standard();
        };
    }

    private static RepoPattern pattern(String text) throws OperationException {
        try {
            return RepoPattern.parse(text);
        } catch (MalformedNameException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    private static OperationException malformed(String rule) {
        return OperationException.invalid("This is not a repository: " + rule + ".", FORM);
    }

    private static void requireKnown(RepoPattern pattern, PolicyFile policy)
            throws OperationException {
        if (policy.host(pattern.host()).isEmpty()) {
            throw OperationException.invalid(
                    "The git host " + pattern.host() + " is not among the allowed ones.",
                    "If you mean to allow it, add it under hosts: in policy.yaml and run: sallyport down, sallyport up");
        }
    }
}
