package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperationsTest {
    @TempDir Path temporary;

    private WardenParts parts;
    private List<Operation> table;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
        table = parts.operations().table();
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    @Test
    void everyOperationThatChangesSomethingIsAudited() {
        for (Operation operation : table) {
            assertThat(operation.audited())
                    .as(operation.path())
                    .isEqualTo(!operation.method().equals(HttpMethod.GET));
        }
    }

    @Test
    void everyOperationNeedsARole() {
        assertThat(table).allSatisfy(row -> assertThat(row.roles()).contains(Role.OWNER));
        assertThat(table)
                .filteredOn(row -> !row.roles().contains(Role.ROOT))
                .as("root does not enter what another person could have changed")
                .extracting(Operation::path)
                .containsExactly("/v1/sandboxes/{name}/exec");
    }

    @Test
    void noTwoOperationsAreTheSame() {
        Set<String> seen = new HashSet<>();
        for (Operation operation : table) {
            assertThat(seen.add(operation.method() + " " + operation.path())).isTrue();
        }
    }

    @Test
    void theDocumentHasEveryOperation() throws IOException {
        String document = Files.readString(Path.of("docs/protocol/control-api.md"));
        for (Operation operation : table) {
            assertThat(document).contains("`" + operation.method() + " " + operation.path() + "`");
        }
    }

    @Test
    void aTemplateMatchesExactlyOneName() {
        Operation one =
                table.stream().filter(o -> o.path().endsWith("/exec")).findFirst().orElseThrow();
        List<String> path = Operation.segments("/v1/sandboxes/app/exec");
        assertThat(one.matches(path)).isTrue();
        assertThat(one.nameIn(path)).isEqualTo("app");
        for (String other :
                new String[] {
                    "/v1/sandboxes/exec",
                    "/v1/sandboxes/app/exec/",
                    "/v1/sandboxes/app/x/exec",
                    "//v1/sandboxes/app/exec",
                    "/v1/sandboxes/app/EXEC",
                    "/v1/sandboxes/app/exec?x",
                }) {
            assertThat(one.matches(Operation.segments(other))).as(other).isFalse();
        }
    }
}
