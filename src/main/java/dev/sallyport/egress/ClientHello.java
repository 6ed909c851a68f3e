package dev.sallyport.egress;

import dev.sallyport.policy.HostName;
import java.util.List;
import java.util.Locale;

/// What the first bytes of a connection are, as far as they have arrived.
sealed interface ClientHello {
    /// Nothing is wrong so far.
    record NeedMore() implements ClientHello {}

    /// A whole hello that names one host.
    ///
    /// @param alpn the protocols that are offered, in their order; empty when none are
    /// @param bytes how many it took on the wire; what follows was sent ahead
    record Hello(HostName serverName, List<String> alpn, int bytes) implements ClientHello {
        public Hello {
            alpn = List.copyOf(alpn);
        }
    }

    /// No hello that is accepted here, whatever follows.
    record Bad(Flaw flaw) implements ClientHello {}

    /// Why a hello is not accepted. For the record only; the sandbox gets an alert.
    enum Flaw {
        /// Plain HTTP, SSH, SSL 2, anything else.
        NOT_TLS,
        TOO_LARGE,
        TOO_SLOW,
        /// A length that does not fit, something twice, something left over.
        MALFORMED,
        NO_NAME,
        /// An address, a trailing dot, a control byte, more than one name.
        BAD_NAME,
        /// Encrypted Client Hello: the name that is seen need not be the one that is meant. What
        /// some clients send in its place to keep servers tolerant cannot be told from it.
        HIDDEN_NAME,
        /// Data that comes with the hello would have to be passed on before upstream answered.
        EARLY_DATA;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
