package dev.sallyport.policy;

import java.util.Optional;

/// How a host of a rule is reached. The policy only carries it; `upstream` acts on it.
///
/// @param privateAddresses whether the name may lead to a private network (RFC 1918, RFC 4193, RFC
///   6598); never to this machine, a link-local or a metadata address
/// @param dial an `address:port` to connect to instead of what the name resolves to; because a
///   person wrote it, it may be any
/// @param caPem certificates (PEM) to trust for this host instead of the system's, when its TLS is
///   inspected
public record Reach(boolean privateAddresses, Optional<String> dial, Optional<String> caPem) {
    public static final Reach PUBLIC = new Reach(false, Optional.empty(), Optional.empty());
}
