package dev.sallyport.config;

import com.google.common.net.InternetDomainName;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.MalformedNameException;

/// What no rule may name, wherever it is written.
public final class HostLimits {
    private HostLimits() {}

    public static void require(HostPattern host) throws MalformedNameException {
        require(host.name());
        String name = host.name().value();
        if (host.isWildcard()
                && InternetDomainName.isValid(name)
                && InternetDomainName.from(name).isPublicSuffix()) {
            throw new MalformedNameException(
                    "it is a wildcard below a public suffix, where anyone can register a name");
        }
    }

    public static void require(HostName host) throws MalformedNameException {
        if (host.value().endsWith(".sallyport")) {
            throw new MalformedNameException("it is Sallyport's own and needs no rule");
        }
    }
}
