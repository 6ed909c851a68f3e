package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.RepoName;
import java.util.Map;

/// One request to a permitted host, made of parts that the door checked or wrote itself.
///
/// @param permit says which host is dialled and whose credential is written
/// @param endpoint path below the repository, and query; never copied from a sandbox
/// @param fields header fields besides host, framing and authorization, which are added here
/// @param answerType the one content type that the answer may have
public record UpstreamRequest(
        GitPermit permit,
        String method,
        String endpoint,
        Map<String, String> fields,
        BodyFraming framing,
        String answerType) {
    public UpstreamRequest {
        fields = Map.copyOf(fields);
    }

    /// What is asked for, with the repository as the grant spells it.
    ///
    /// @param suffixed whether upstream has the repository under a name that ends in `.git`
    String target(boolean suffixed) {
        RepoName repo = permit.repo();
        String suffix = suffixed ? ".git/" : "/";
        return "/" + repo.owner() + "/" + repo.name() + suffix + endpoint;
    }

    /// Whether it may be sent twice without harm.
    boolean changesNothing() {
        return method.equals("GET");
    }
}
