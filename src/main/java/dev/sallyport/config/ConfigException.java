package dev.sallyport.config;

import java.io.IOException;

/// A file, directory or setting is not as it must be. It says what is wrong and what to do, each in
/// one sentence. It is an [IOException] so that whoever opens a file handles both alike.
public final class ConfigException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    public ConfigException(String problem, String remedy) {
        super(problem + " " + remedy);
        this.problem = problem;
        this.remedy = remedy;
    }

    public String problem() {
        return problem;
    }

    public String remedy() {
        return remedy;
    }
}
