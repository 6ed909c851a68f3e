package dev.sallyport.doctor;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Machine;
import dev.sallyport.config.PolicyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Whether a warden would accept the rules.
///
/// @param machine whose tools presets look at
record PolicyCheck(Path file, Machine machine) implements Check {
    @Override
    public List<Finding> look() {
        try {
            PolicyFile policy = PolicyFile.load(file, machine);
            if (!policy.warnings().isEmpty()) {
                return policy.warnings().stream()
                        .map(text -> Finding.warn("policy", text, "See: sallyport policy check"))
                        .toList();
            }
            return List.of(
                    Finding.ok("policy", Files.exists(file) ? file + " is valid" : "no file"));
        } catch (ConfigException e) {
            return List.of(Finding.fail("policy", e.problem(), e.remedy()));
        } catch (IOException e) {
            return List.of(
                    Finding.fail("policy", file + ": " + e.getMessage(), "See: ls -l " + file));
        }
    }
}
