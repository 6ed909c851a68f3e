package dev.sallyport.forge;

import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Policy;
import java.util.Optional;

/// One request to the API, whole, as its judge sees it. Judged as often as something new is known.
interface Matter {
    /// Judges with the rights and the knowledge of now. Never waits, and changes nothing but, where
    /// nobody can be asked, that knowledge.
    Ruling rule(Policy policy, Known known);

    /// Whether judging is work that an event loop has no time for.
    boolean isHeavy();

    /// A permit for a question that is about no repository in particular: for one that was granted
    /// by name, or else that an answer has named.
    static Optional<ApiPermit> anyPermit(ApiSite site, Policy policy, Known known) {
        return site.named(policy).stream()
                .flatMap(repo -> ApiSite.any(policy, repo).stream())
                .findFirst()
                .or(() -> known.anyRepository().flatMap(repo -> ApiSite.any(policy, repo)));
    }

    /// The ruling, or first the question who the session is, if that was needed for it.
    static Ruling knowingLogin(
            Ruling ruling, SessionView view, ApiSite site, Policy policy, Known known) {
        if (!view.missesLogin() || ruling instanceof Ruling.Denied) {
            return ruling;
        }
        Optional<ApiPermit> permit = anyPermit(site, policy, known);
        if (permit.isEmpty()) {
            return ruling;
        }
        return new Ruling.Ask(Question.viewer(site, permit.get(), known));
    }
}
