package dev.sallyport.control;

import java.util.Map;

/// `GET /v1/progress`: what takes the daemon long just now, for people who wait.
///
/// @param work what it is about, an image or a `host/owner/name`, to how far it is
public record WorkInHand(Map<String, String> work) {}
