package dev.sallyport.egress;

import dev.sallyport.http.RequestHead;
import java.util.Base64;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/// Finds DNS in requests (RFC 8484, and the JSON form of it): an allowed host must not become a
/// resolver, because names that are asked for carry data out (E4, E5). Both the type of the body
/// and the types that are wanted back give it away.
final class DnsOverHttps {
    private static final Set<String> TYPES =
            Set.of("application/dns-message", "application/dns-json");
    private static final String PARAMETER = "dns";
    private static final int HEADER_BYTES = 12;

    private DnsOverHttps() {}

    static boolean isIn(RequestHead head, WebQuery query) {
        return head.field("accept").filter(DnsOverHttps::names).isPresent()
                || head.field("content-type").filter(DnsOverHttps::names).isPresent()
                || query.values(PARAMETER).stream().anyMatch(DnsOverHttps::isQuestion);
    }

    /// Whether a list of types has one of these.
    static boolean names(String types) {
        return Stream.of(types.toLowerCase(Locale.ROOT).split("[,;]"))
                .anyMatch(type -> TYPES.contains(type.strip()));
    }

    /// Whether it decodes to a DNS message that asks one thing.
    private static boolean isQuestion(String text) {
        try {
            byte[] message = Base64.getUrlDecoder().decode(text.replaceAll("=+$", ""));
            boolean query = message.length > HEADER_BYTES && message[2] >= 0;
            return query && message[4] == 0 && message[5] == 1;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }
}
