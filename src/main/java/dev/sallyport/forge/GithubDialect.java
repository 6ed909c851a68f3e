package dev.sallyport.forge;

import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// GitHub's: `/repos/OWNER/NAME`, and `/repositories/ID`, which pages of lists lead to.
enum GithubDialect implements Dialect {
    INSTANCE;

    private static final String API_VERSION = "2022-11-28";

    @Override
    public Forge forge() {
        return Forge.GITHUB;
    }

    @Override
    public List<RestRoute> routes() {
        return RestTable.routes();
    }

    @Override
    public Optional<Aim> aim(HostName host, List<String> segments) {
        String first = segments.isEmpty() ? "" : segments.getFirst();
        if (first.equals("repositories") && segments.size() >= 2) {
            return Optional.of(
                    Dialect.numbered(segments.get(1), segments.subList(2, segments.size())));
        }
        return Dialect.super.aim(host, segments);
    }

    @Override
    public Map<String, String> fields(RestMedia media) {
        return Map.of("accept", media.accept(), "x-github-api-version", API_VERSION);
    }

    @Override
    public Optional<byte[]> own(HostName host, List<String> segments, String login) {
        return OwnAnswers.to(host, segments, login);
    }

    @Override
    public Optional<String> loginMember() {
        return Optional.empty();
    }

    @Override
    public AnswerForm form(AnswerForm.Ground ground) {
        return new GithubForm(ground);
    }
}
