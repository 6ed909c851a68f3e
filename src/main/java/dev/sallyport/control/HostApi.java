package dev.sallyport.control;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.GrantText;
import java.util.List;
import java.util.Optional;

/// What a machine with sandboxes asks the gateway of another machine for, and what it is answered.
/// `docs/protocol/host-api.md` is written from this file.
public interface HostApi {
    /// Operation `open`: rights for a sandbox to be made. Answered with [Opened].
    ///
    /// @param name of the sandbox on its own machine
    /// @param repos as in [Api.CreateSandbox]
    /// @param reach likewise; ports are published by the machine of the sandbox, so none is named
    record Open(
            String name,
            List<String> repos,
            Api.ReachRequest reach,
            GitSettings git,
            Api.LifeRequest life) {}

    /// The rights of a session, for the files and variables of its sandbox; no secret is in it.
    ///
    /// @param caPem certificate of the authority for inspected hosts
    /// @param gateways as in [Certificate]
    record Opened(
            String session,
            String name,
            List<GrantText> grants,
            List<EgressText> egress,
            boolean learn,
            GitSettings git,
            Optional<String> caPem,
            List<Authority> authorities,
            String gateways) {}

    /// Operations `certify` and `renew`. Answered with [Certificate].
    ///
    /// @param key public key of the session's sidecar, in Base64
    /// @param proof by the key before, in Base64; empty for `certify`
    record Certify(String session, String key, String proof) {}

    /// Answer to [Certify].
    ///
    /// @param authorities whose certificates of gateways are good from now on
    /// @param gateways `HOST:PORT` of those that share a store with this one, which comes first; a
    ///   line that the warden has signed
    record Certificate(String certificatePem, List<Authority> authorities, String gateways) {}

    /// An authority of the gateway.
    ///
    /// @param endorsement signature of the one before; empty for the first
    record Authority(String pem, String endorsement) {}

    /// Operations `release` and `end`: the certificates of a session are not good any more; with
    /// `end` it is over. Answered with [Api.Done].
    record OfSession(String session) {}

    /// Operation `look`: whether the gateway answers. Answered with [Looked].
    record Look() {}

    /// Answer to [Look].
    ///
    /// @param version of Sallyport
    /// @param timeEpochMilli by the gateway's clock
    record Looked(String version, long timeEpochMilli) {}

    /// Answer to an enrolment.
    record Enrolled(String host, String name) {}
}
