package dev.sallyport.mint;

import dev.sallyport.credential.AppKey;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;

/// A GitHub App at one host, on behalf of one session.
///
/// @param issuer its id or client id
/// @param host the git host
/// @param permit for the API of that host
public record App(String issuer, AppKey key, HostName host, EgressPermit permit) {
    ApiHost api() {
        return ApiHost.of(host);
    }
}
