package dev.sallyport.audit;

import java.time.Instant;
import java.util.Optional;

/// What [AuditVerifier] found, as the stable document of `audit verify --json` and of the page.
/// Times are ISO 8601 in UTC.
///
/// @param checked when
public record AuditVerdict(
        boolean holds,
        long lines,
        long firstSeq,
        Optional<String> first,
        Optional<String> last,
        String lastHash,
        String key,
        Optional<Broken> broken,
        String checked) {

    /// The first place where the chain does not hold.
    public record Broken(String file, long line, String reason) {}

    public static AuditVerdict of(AuditVerifier.Result result, Instant checked) {
        return new AuditVerdict(
                result.holds(),
                result.lines(),
                result.firstSeq(),
                result.first().map(Object::toString),
                result.last().map(Object::toString),
                result.lastHash(),
                result.key(),
                result.broken().map(at -> new Broken(at.file().toString(), at.line(), at.reason())),
                checked.toString());
    }
}
