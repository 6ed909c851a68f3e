package dev.sallyport.gateway;

import dev.sallyport.audit.Recorder;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import java.util.List;
import java.util.Set;

/// The front door: which path belongs to which door. A path that no row names does not exist.
final class RouteTable implements Door {
    static final String OWN_NAME = "gateway.sallyport";
    static final String GIT = "/git/";

    private static final Set<String> HOSTS =
            Set.of(
                    OWN_NAME,
                    OWN_NAME + ":80",
                    "127.0.0.1",
                    "127.0.0.1:80",
                    "localhost",
                    "localhost:80");

    /// A row: a path ending in a slash covers all below it, any other only itself.
    record Route(String path, Door door) {
        boolean covers(String asked) {
            return path.endsWith("/") ? asked.startsWith(path) : asked.equals(path);
        }
    }

    private final List<Route> routes;
    private final Door noSuchEndpoint;
    private final Door nameNotAllowed;

    RouteTable(List<Route> routes, Recorder recorder) {
        this.routes = List.copyOf(routes);
        this.noSuchEndpoint = new RefusingDoor(Refusal.NO_SUCH_ENDPOINT, recorder);
        this.nameNotAllowed = new RefusingDoor(Refusal.NAME_NOT_ALLOWED, recorder);
    }

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        return doorFor(head).open(session, head, responder);
    }

    private Door doorFor(RequestHead head) {
        if (!HOSTS.contains(head.host())) {
            return nameNotAllowed;
        }
        for (Route route : routes) {
            if (route.covers(head.path())) {
                return route.door();
            }
        }
        return noSuchEndpoint;
    }
}
