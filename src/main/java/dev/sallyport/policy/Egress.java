package dev.sallyport.policy;

import java.util.List;

/// What a session may reach besides git. The first rule that covers host and port decides.
///
/// @param learn whether the session is not isolated: what no rule covers is let through and
///   recorded
public record Egress(List<EgressRule> rules, boolean learn) {
    public static final Egress NONE = new Egress(List.of(), false);

    public Egress {
        rules = List.copyOf(rules);
    }
}
