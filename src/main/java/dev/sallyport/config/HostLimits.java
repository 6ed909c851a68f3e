package dev.sallyport.config;

import com.google.common.net.InternetDomainName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.MalformedNameException;

/// What no rule may name, wherever it is written.
public final class HostLimits {
    private HostLimits() {}

    public static void require(HostPattern host) throws MalformedNameException {
        String name = host.name().value();
        if (name.endsWith(".sallyport")) {
            throw new MalformedNameException("it is Sallyport's own and needs no rule");
        }
        if (host.isWildcard()
                && InternetDomainName.isValid(name)
                && InternetDomainName.from(name).isPublicSuffix()) {
            throw new MalformedNameException(
                    "it is a wildcard below a public suffix, where anyone can register a name");
        }
    }
}
