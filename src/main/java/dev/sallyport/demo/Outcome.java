package dev.sallyport.demo;

import java.util.List;

/// Everything that was tried.
public record Outcome(boolean holds, double seconds, List<Claim> claims) {
    public Outcome {
        claims = List.copyOf(claims);
    }
}
