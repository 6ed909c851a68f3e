package dev.sallyport.forge;

import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RepoName;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// A session with one repository of another hosting service than GitHub, which it may push
/// `agent/**` of, and the judge of its requests.
final class ForgeRig implements Facts {
    static final HostName HOST = new HostName("git.corp.example");
    static final long ID = 42;

    private final Forge forge;
    private final Policy policy;
    private final RepoName repo;
    private final Map<Long, Numbered> numbers = new HashMap<>();
    private boolean knowsId = true;

    /// @param path of the repository
    ForgeRig(Forge forge, String path, ApiRules rules) {
        this.forge = forge;
        this.policy = RestRig.policy(HOST + "/" + path, rules.withForge(forge));
        int slash = path.lastIndexOf('/');
        this.repo = new RepoName(HOST, path.substring(0, slash), path.substring(slash + 1));
    }

    static ForgeRig of(Forge forge) {
        return new ForgeRig(forge, "acme/app", RestRig.ALL);
    }

    ForgeRig withoutId() {
        knowsId = false;
        return this;
    }

    ForgeRig withPull(long number, String branch) {
        PullHead head = new PullHead(repo, new RefName("refs/heads/" + branch));
        numbers.put(number, new Numbered.Pull(Optional.of(head)));
        return this;
    }

    /// One that comes from another project, or from none that is left.
    ForgeRig withForeignPull(long number) {
        numbers.put(number, new Numbered.Pull(Optional.empty()));
        return this;
    }

    @Override
    public String login() {
        return "sallyport";
    }

    @Override
    public Optional<RepoName> repository(long id) {
        return knowsId && id == ID ? Optional.of(repo) : Optional.empty();
    }

    @Override
    public OptionalLong id(RepoName asked) {
        return knowsId && asked.equals(repo) ? OptionalLong.of(ID) : OptionalLong.empty();
    }

    @Override
    public Optional<Numbered> number(RepoName asked, long number) {
        return Optional.ofNullable(numbers.get(number));
    }

    @Override
    public Optional<Long> commented(RepoName asked, long comment) {
        return Optional.empty();
    }

    /// Where the repository is.
    String root() {
        return Dialect.of(forge).target(repo, "");
    }

    /// @param target path and query, with the root of the API
    RestVerdict ask(String method, String target, String body) {
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        String query = mark < 0 ? "" : target.substring(mark + 1);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return new RestJudge()
                .judge(policy, new RestRequest(HOST, method, path, query, "", bytes), this);
    }

    RestVerdict get(String target) {
        return ask("GET", target, "");
    }
}
