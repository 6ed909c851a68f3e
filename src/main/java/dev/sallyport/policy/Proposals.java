package dev.sallyport.policy;

import java.util.Map;
import java.util.Optional;

/// The rules about what a sandbox proposes at a hosting service, for whichever door it comes
/// through: an API, or options of a push.
public interface Proposals {
    /// What is said when [#take] says no.
    String TOO_OFTEN = "this sandbox changes too much in a short time; wait a minute";

    /// What stands against a title, in words for whoever wrote it.
    Optional<String> title(ApiPermit permit, String text);

    /// What stands against a description or a comment.
    Optional<String> body(ApiPermit permit, String text);

    /// What the record has of a text that goes up.
    ///
    /// @param name what the text is, such as `title`
    Map<String, String> record(ApiPermit permit, String name, String text);

    /// Counts one change of this session's; when the answer is no, nothing was counted.
    boolean take(SessionId session);
}
