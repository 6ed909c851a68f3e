package dev.sallyport.control;

/// Answer to `GET /v1/metrics`.
///
/// @param text in the text format of Prometheus
public record MetricsText(String text) {}
