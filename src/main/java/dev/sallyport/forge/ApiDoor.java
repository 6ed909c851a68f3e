package dev.sallyport.forge;

import dev.sallyport.config.Limits;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.CredentialFields;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.Ask;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.Room;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.Locale;
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

    /// What stands against a request to an API by its head alone.
    static final class ApiForm {
        private static final String AUTHORIZATION = "authorization";

        /// Where clients of GitLab put a token.
        private static final String PRIVATE_TOKEN = "private-token";

        private ApiForm() {}

        static Optional<Ruling.Denied> objection(RequestHead head, Limits.Api limits, Forge forge) {
            return refusal(head, limits, forge).map(Ruling.Denied::of);
        }

        private static Optional<Refusal> refusal(RequestHead head, Limits.Api limits, Forge forge) {
            if (!hasNoCredentialButThePlaceholder(head, forge)) {
                return Optional.of(Refusal.CREDENTIAL_NOT_ALLOWED);
            }
            if (!head.field("content-encoding").orElse("identity").equalsIgnoreCase("identity")) {
                return Optional.of(Refusal.CONTENT_NOT_ALLOWED);
            }
            return head.framing() instanceof BodyFraming.Sized(long bytes)
                            && bytes > limits.requestBytesMax()
                    ? Optional.of(Refusal.BODY_TOO_LARGE)
                    : Optional.empty();
        }

        /// E15: a token that is not the placeholder is an attacker's, or was stolen. None at all is
        /// fine: whose request it is, the socket says.
        private static boolean hasNoCredentialButThePlaceholder(RequestHead head, Forge forge) {
            boolean others =
                    head.fields().keySet().stream()
                            .anyMatch(name -> CredentialFields.has(name) && !isOurs(name, forge));
            return !others
                    && head.field(PRIVATE_TOKEN).map(ApiForm::isSame).orElse(true)
                    && head.field(AUTHORIZATION).map(ApiForm::isPlaceholder).orElse(true);
        }

        private static boolean isOurs(String name, Forge forge) {
            return name.equals(AUTHORIZATION)
                    || (forge == Forge.GITLAB && name.equals(PRIVATE_TOKEN));
        }

        private static boolean isPlaceholder(String value) {
            int space = value.indexOf(' ');
            if (space < 0) {
                return false;
            }
            String sent = value.substring(space + 1).strip();
            return switch (value.substring(0, space).toLowerCase(Locale.ROOT)) {
                case "token", "bearer" -> isSame(sent);
                case "basic" -> password(sent).filter(ApiForm::isSame).isPresent();
                default -> false;
            };
        }

        private static Optional<String> password(String basic) {
            try {
                String decoded =
                        new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
                return Optional.of(decoded.substring(decoded.indexOf(':') + 1));
            } catch (IllegalArgumentException _) {
                return Optional.empty();
            }
        }

        private static boolean isSame(String sent) {
            return MessageDigest.isEqual(
                    sent.getBytes(StandardCharsets.UTF_8),
                    ApiHost.PLACEHOLDER.getBytes(StandardCharsets.UTF_8));
        }
    }
}
