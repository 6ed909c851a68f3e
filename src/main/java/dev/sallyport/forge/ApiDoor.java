package dev.sallyport.forge;

import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.Room;
import dev.sallyport.session.LiveSession;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The API of git hosts, for one session. The path of a request: form, body, judgement, what has to
/// be known for that, record, and only then whatever has an effect. Nothing that a sandbox sent
/// goes upstream: each request is made anew from what was judged.
public final class ApiDoor {
    private final ApiDoors shared;
    private final SessionId session;
    private final ApiAudit audit;
    private final Room room;

    /// By git host.
    private final Map<HostName, Known> known = new HashMap<>();

    ApiDoor(ApiDoors shared, SessionId session, ApiAudit audit, Room room) {
        this.shared = shared;
        this.session = session;
        this.audit = audit;
        this.room = room;
    }

    /// Whether this path of this host is an API's, with the rights of now.
    public boolean serves(Policy policy, HostName connected, String path) {
        return ApiSite.at(policy, connected).filter(site -> site.covers(path)).isPresent();
    }

    /// Serves a request that [#serves] knows, and whose Host is that of the connection.
    public RequestHandler open(
            LiveSession asking, HostName connected, RequestHead head, Responder responder) {
        Ask ask = Ask.of(asking, head, responder);
        ApiRequest request = new ApiRequest(this, ask);
        Optional<ApiSite> site = ApiSite.at(asking.policy(), connected);
        if (site.isEmpty()) {
            request.deny(Ruling.Denied.notFound(Map.of()));
        } else {
            ApiForm.objection(head, shared.limits(), site.get().dialect().forge())
                    .ifPresentOrElse(request::deny, () -> request.take(site.get()));
        }
        return request;
    }

    /// What is known with these rights; what was known with others is forgotten.
    synchronized Known known(HostName git, Policy policy) {
        Known present = known.get(git);
        if (present == null || !present.isOf(policy)) {
            present = new Known(policy, System::nanoTime);
            known.put(git, present);
        }
        return present;
    }

    ApiDoors shared() {
        return shared;
    }

    SessionId session() {
        return session;
    }

    ApiAudit audit() {
        return audit;
    }

    Room room() {
        return room;
    }

    /// Counts one change; when the answer is no, nothing was counted.
    boolean takeWrite() {
        return shared.proposals().take(session);
    }
}
