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

    /// Operation `login`: which of an agent's logins is stored at the gateway. Answered with
    /// [Chosen].
    ///
    /// @param logins in the order of the agent's profile
    record Logins(List<Login> logins) {
        public Logins {
            logins = List.copyOf(logins);
        }
    }

    /// One way in which an agent can prove itself, as its profile says.
    ///
    /// @param secret the name under which it is stored
    /// @param host the only one that gets it; `${region}` in it stands for any region
    /// @param preset the rules that inject it
    record Login(String secret, String host, String preset) {}

    /// Answer to [Logins]; no secret is in it.
    ///
    /// @param login absent when none is stored
    record Chosen(Optional<ChosenLogin> login) {}

    /// The first of the logins that is stored.
    ///
    /// @param secret its name, as it was asked for
    /// @param host that it is stored for
    /// @param account the id of its account, if its provider's tokens say it
    record ChosenLogin(String secret, String host, Optional<String> account) {}

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
