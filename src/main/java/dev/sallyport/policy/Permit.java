package dev.sallyport.policy;

/// Proof that the policy allowed something. Only [Policy] can make one; without it nothing is
/// dialled and no secret is revealed.
public sealed interface Permit permits GitPermit, ApiPermit, EgressPermit {
    SessionId session();

    /// The one host that may be dialled with it.
    HostName host();
}
