package dev.sallyport.upstream;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.RepoName;
import java.util.Map;
import java.util.Optional;

/// One request to a permitted git host, made of parts that the door checked or wrote itself; no
/// field of the sandbox's request is ever copied.
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
        String answerType)
        implements Client.Order {
    private static final String USER_AGENT = "git/2.50 sallyport/0.1";

    public UpstreamRequest {
        fields = Map.copyOf(fields);
    }

    /// @param suffixed whether upstream has the repository under a name that ends in `.git`
    /// @param unsure whether it may have it under the other name
    Asked asked(Place place, boolean suffixed, boolean unsure) {
        return new Asked(
                permit,
                place,
                method,
                target(suffixed),
                unsure && method.equals("GET") ? Optional.of(target(!suffixed)) : Optional.empty(),
                Asked.fields(USER_AGENT, fields),
                framing,
                Protocol.HTTP_1_1,
                Optional.of(answerType),
                false);
    }

    /// What is asked for, with the repository as the grant spells it.
    private String target(boolean suffixed) {
        RepoName repo = permit.repo();
        String suffix = suffixed ? ".git/" : "/";
        return "/" + repo.owner() + "/" + repo.name() + suffix + endpoint;
    }
}
