package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.http.Door;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import java.util.Map;

/// A door that is never opened. It records who knocked; the refusal does not wait for the record.
final class RefusingDoor implements Door {
    private final Refusal refusal;

    private final Recorder recorder;

    RefusingDoor(Refusal refusal, Recorder recorder) {
        this.refusal = refusal;
        this.recorder = recorder;
    }

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        String id = RefusalLog.newId();
        Map<String, String> detail =
                Map.of(
                        "reason",
                        refusal.code(),
                        "id",
                        id,
                        "host",
                        head.host(),
                        "path",
                        head.path());
        var _ =
                recorder.record(
                        new AuditEvent("http.refused", session.id().value(), "deny", detail));
        responder.refuse(refusal, id, Remedy.of(refusal, session.sandbox(), detail));
        return new IgnoredBody();
    }
}
