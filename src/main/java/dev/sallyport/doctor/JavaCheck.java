package dev.sallyport.doctor;

import java.util.List;

/// The JVM that runs this, which is the one that daemons are started with.
///
/// @param version as `Runtime.version()` says
record JavaCheck(Runtime.Version version) implements Check {
    private static final int FEATURE = 25;

    @Override
    public List<Finding> look() {
        String seen = version.toString();
        if (version.feature() < FEATURE) {
            return List.of(
                    Finding.fail("JDK", seen, "Install a JDK " + FEATURE + " and set JAVA_HOME."));
        }
        return List.of(
                version.feature() == FEATURE
                        ? Finding.ok("JDK", seen)
                        : Finding.warn(
                                "JDK",
                                seen,
                                "Sallyport is tested with JDK " + FEATURE + "; prefer that."));
    }
}
