package dev.sallyport.control;

/// Answer to `GET /v1/metrics` and `GET /v1/metrics/otlp`.
///
/// @param text in the text format of Prometheus, or a JSON document of OTLP
public record MetricsText(String text) {}
