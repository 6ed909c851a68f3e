package dev.sallyport.warden;

import dev.sallyport.session.Lifetime;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.util.ArrayList;
import java.util.List;

/// What those inside a sandbox, and the person outside, should know about the end of its session
/// while there is time to finish something.
final class Notices {
    static List<String> of(Session session, Usage used, Moment now) {
        List<String> notices = new ArrayList<>();
        Lifetime life = session.lifetime();
        if (life.isClosing(now)) {
            boolean idle = life.idleEnd().isBefore(life.expires());
            notices.add(
                    "this session ends at %s%s; on the host: sallyport extend %s"
                            .formatted(life.end(), idle ? " if unused" : "", session.name()));
        }
        for (String cap : session.caps().closing(used)) {
            notices.add("this session ends at its cap: " + cap + " used");
        }
        return notices;
    }
}
