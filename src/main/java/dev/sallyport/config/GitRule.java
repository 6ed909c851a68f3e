package dev.sallyport.config;

import dev.sallyport.policy.RepoGrant;

/// One entry of `git:` in a policy file: the most that a sandbox may be granted of a repository.
///
/// @param place where it is written, as `file:line`
public record GitRule(RepoGrant grant, String place) {}
