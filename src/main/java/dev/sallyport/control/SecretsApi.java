package dev.sallyport.control;

import dev.sallyport.config.LoginText;
import dev.sallyport.credential.Secret;
import java.util.List;
import java.util.Optional;

/// The bodies of the control API that are about secrets.
public interface SecretsApi {
    /// `PUT /v1/secrets/{name}`
    ///
    /// @param value of a login the access token, of a GitHub App its private key (PKCS #8 in
    ///   Base64)
    /// @param kind `token`, which has no user, `basic`, which has one, `oauth`, which has a login,
    ///   or `github-app`, which has an app; absent for what fits
    /// @param app id or client id of a GitHub App
    record PutSecret(
            String host,
            Optional<String> user,
            Secret value,
            Optional<String> kind,
            Optional<LoginText> login,
            Optional<String> app) {
        /// One that is not the key of a GitHub App.
        public PutSecret(
                String host,
                Optional<String> user,
                Secret value,
                Optional<String> kind,
                Optional<LoginText> login) {
            this(host, user, value, kind, login, Optional.empty());
        }

        /// Overwrites the secrets in it.
        public void wipe() {
            value.wipe();
            login.ifPresent(LoginText::wipe);
        }
    }

    /// A secret without its value.
    ///
    /// @param sandboxes those that are running and may use it
    /// @param login of the kind `oauth`
    /// @param app of the kind `github-app`: id or client id
    /// @param reach how far a GitHub token reaches beyond the rules, as far as its form says so
    record SecretView(
            String name,
            String host,
            Optional<String> user,
            String updated,
            String kind,
            Optional<String> rotated,
            List<String> sandboxes,
            Optional<LoginView> login,
            Optional<String> app,
            Optional<String> reach) {}

    /// What may be known of a login.
    ///
    /// @param endpoint where it is renewed
    /// @param renewed when that was last done, or it was stored
    /// @param expires when the present access token does, if that is known
    /// @param account the id of the account that it is for, if a known provider's token says so
    record LoginView(
            String endpoint, String renewed, Optional<String> expires, Optional<String> account) {}

    /// `POST /v1/secrets/{name}/rotate`
    ///
    /// @param endSessions whether sessions that may have used the old value end for good, stopped
    ///   ones too; ephemeral sandboxes are removed
    /// @param login of a login, whose access token `value` is
    record RotateSecret(Secret value, boolean endSessions, Optional<NewLogin> login) {
        /// Overwrites the secrets in it.
        public void wipe() {
            value.wipe();
            login.ifPresent(made -> made.refresh().wipe());
        }
    }

    /// A login that was made anew.
    ///
    /// @param expires of the access token, in ISO 8601
    record NewLogin(Secret refresh, Optional<String> expires) {}

    /// Answer to [RotateSecret].
    ///
    /// @param ended the sandboxes that were ended or removed
    record SecretRotated(SecretView secret, List<String> ended) {}

    /// Answer of `POST /v1/secrets/encrypt`: how many secrets lie encrypted now, which is all.
    record Encrypted(int secrets) {}

    record SecretList(List<SecretView> secrets) {}

    /// What was found of a session's secrets inside its sandbox, and what else only the warden
    /// knows of it.
    ///
    /// @param compared names of the secrets whose values were looked for
    /// @param skipped names of those that are too short to be told from chance
    /// @param places how many environments, command lines and files of ours were searched
    /// @param found which was found where, without values, and what could not be searched
    /// @param sidecar process id of its sidecar, 0 when none runs; absent when its gateway is here
    record Exposure(
            List<String> compared,
            List<String> skipped,
            int places,
            List<String> found,
            Optional<Long> sidecar) {}
}
