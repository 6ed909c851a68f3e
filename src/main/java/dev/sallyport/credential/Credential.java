package dev.sallyport.credential;

import dev.sallyport.policy.HostName;

/// A secret together with the one host it belongs to and the user name that goes with it.
public record Credential(HostName host, String user, Secret secret) {}
