package dev.sallyport.lfs;

import dev.sallyport.policy.Refusal;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Which request of the LFS API is meant.
sealed interface LfsRoute {
    /// `POST objects/batch`
    record Batch() implements LfsRoute {}

    /// `GET`, `PUT` or `POST` of an object, at the place that the answer to a batch named.
    record Transfer(Action.Verb verb, Oid oid) implements LfsRoute {}

    /// `GET locks` or `POST locks/verify`
    record Locks(boolean verify) implements LfsRoute {}

    /// None of these, or one that is never served.
    record None(Refusal reason) implements LfsRoute {}

    Pattern OBJECT = Pattern.compile("objects/([0-9a-f]{64})(/verify)?");
    Pattern UNLOCK = Pattern.compile("locks/[A-Za-z0-9._-]+/unlock");

    /// None of another spelling.
    ///
    /// @param path what follows `info/lfs/`
    static LfsRoute parse(String method, String path, String query) {
        if (path.equals("locks") && method.equals("GET")) {
            return new Locks(false);
        }
        if (!query.isEmpty()) {
            return new None(Refusal.NO_SUCH_ENDPOINT);
        }
        return switch (path) {
            case "objects/batch" -> post(method, new Batch());
            case "locks/verify" -> post(method, new Locks(true));
            case "locks" -> post(method, new None(Refusal.LFS_LOCKS_READ_ONLY));
            default ->
                    UNLOCK.matcher(path).matches()
                            ? post(method, new None(Refusal.LFS_LOCKS_READ_ONLY))
                            : transfer(method, path);
        };
    }

    private static LfsRoute post(String method, LfsRoute route) {
        return method.equals("POST") ? route : new None(Refusal.METHOD_NOT_ALLOWED);
    }

    private static LfsRoute transfer(String method, String path) {
        Matcher object = OBJECT.matcher(path);
        if (!object.matches()) {
            return new None(Refusal.NO_SUCH_ENDPOINT);
        }
        Optional<Action.Verb> verb =
                switch (method) {
                    case "GET" -> Optional.of(Action.Verb.DOWNLOAD);
                    case "PUT" -> Optional.of(Action.Verb.UPLOAD);
                    case "POST" -> Optional.of(Action.Verb.VERIFY);
                    default -> Optional.empty();
                };
        boolean fits =
                verb.isPresent() && (verb.get() == Action.Verb.VERIFY) == (object.group(2) != null);
        return fits
                ? new Transfer(verb.get(), new Oid(object.group(1)))
                : new None(Refusal.METHOD_NOT_ALLOWED);
    }
}
