package dev.sallyport.credential;

import dev.sallyport.policy.HostName;

/// A secret that rules may inject, together with the one host it belongs to.
///
/// @param name under which rules name it
public record InjectedCredential(String name, HostName host, Secret secret) {}
