package dev.sallyport.fleet;

import java.util.Locale;

/// Why another machine was refused something. It is for the record and for the person in charge; a
/// stranger is told no more than that it was refused.
public enum FleetRefusal {
    MALFORMED("it has not the form of a request"),
    OTHER_GATEWAY("it was made for another gateway, or for an authority that is no longer used"),
    UNKNOWN_HOST("no host with this key is enrolled"),
    BAD_SIGNATURE("its signature is wrong"),
    NOT_NOW("it was signed more than five minutes ago or in the future; check both clocks"),
    REPLAYED("it was sent before, or signed before something that was accepted already"),
    TOO_MANY("the host has sent too many requests in ten minutes"),
    UNKNOWN_CODE("no such enrolment code is open; it was used, has expired, or was taken back"),
    WRONG_CODE("it was not made with the enrolment code that it names"),
    ALREADY_ENROLLED("a host with this key or name is enrolled already"),
    FULL("there is no room for another one"),
    BAD_KEY("the key is not a point of P-256 in its one spelling"),
    OTHER_HOST("the session belongs to another host"),
    NOT_CURRENT("the session has no certificate that is good now"),
    BAD_PROOF("it is not signed with the key of the session's newest certificate"),
    NO_PODS("this gateway takes no pods; see kubernetes: in its policy.yaml"),
    BAD_TOKEN("the cluster does not vouch for the token"),
    OTHER_ACCOUNT("pods of this service account may not come; see kubernetes: in policy.yaml"),
    NO_POD("the token is not bound to a pod"),
    NO_REVIEW("the API of the cluster did not answer; see the log of the gateway"),
    POD_OVER("the session of this pod has ended; delete the pod and create a new one"),
    SECOND_SESSION("a pod has one session"),
    POD_LOGIN("a pod may not ask for logins of agents");

    private final String sentence;

    FleetRefusal(String sentence) {
        this.sentence = sentence;
    }

    /// As it stands in the record.
    public String code() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String sentence() {
        return sentence;
    }
}
