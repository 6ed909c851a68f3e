package dev.sallyport.gateway;

import dev.sallyport.audit.Recorder;
import dev.sallyport.egress.WebDoors;
import dev.sallyport.forge.ApiDoor;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;

/// A git host, or its API, as its own name shows it. What git asks there goes the way of the front
/// door, so that there is one route to a repository: programs that do not read git's configuration,
/// and URLs with a user or token in them, which no rewriting can match, get the same answers. The
/// rest is the API's, or nothing. Pages that another service has there are asked for as a rule
/// says, with the secret of that service.
///
/// @param tls without it, git alone is served
/// @param pages the door of other hosts
record GitHostDoor(
        EgressPermit place,
        boolean tls,
        Door front,
        ApiDoor api,
        WebDoors.Connection pages,
        Recorder recorder)
        implements WebDoors.Connection {
    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        HostName host = place.host();
        if (!head.host().equals(host.value()) && !head.host().equals(host + ":" + place.port())) {
            return new RefusingDoor(Refusal.NAMES_DISAGREE, recorder)
                    .open(session, head, responder);
        }
        if (tls && session.policy().isPage(host, place.port(), head.path())) {
            return pages.open(session, head, responder);
        }
        if (tls && api.serves(session.policy(), host, head.path())) {
            return api.open(session, host, head, responder);
        }
        RequestHead sent = head.sentTo(RouteTable.OWN_NAME, RouteTable.GIT + host + head.path());
        return front.open(session, sent, responder);
    }

    @Override
    public void close() {
        pages.close();
    }
}
