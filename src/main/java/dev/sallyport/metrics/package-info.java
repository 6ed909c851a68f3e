/// Figures for people who watch many machines: counts what was decided, and shows it in the format
/// of Prometheus and in that of OpenTelemetry. *Trusted input only*, but for numbers and reasons
/// that a gateway tells, which are bounded here.
@NullMarked
package dev.sallyport.metrics;

import org.jspecify.annotations.NullMarked;
