package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditMark;
import dev.sallyport.audit.AuditVerdict;
import dev.sallyport.audit.AuditVerifier;
import dev.sallyport.audit.WitnessedHeads;
import dev.sallyport.config.Home;
import dev.sallyport.config.StorePlace;
import dev.sallyport.control.ControlException;
import dev.sallyport.session.AuditStore;
import dev.sallyport.session.SessionStores;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Reads the audit files themselves: proving them must not need the process that wrote them.
@Command(
        name = "audit",
        description = "Show, explain, export and verify the audit log.",
        footer = {
            "",
            "Examples:",
            "  sallyport audit show --denied",
            "  sallyport audit show --sandbox work --since 2h",
            "  sallyport audit why 019a8f03c2d1",
            "  sallyport audit report work",
            "  sallyport audit verify"
        },
        subcommands = {
            AuditCommands.Show.class,
            AuditWhyCommand.class,
            AuditCommands.Report.class,
            AuditCommands.Export.class,
            AuditCommands.Verify.class,
            AuditCommands.Begin.class
        })
final class AuditCommands {
    @Command(
            name = "show",
            description =
                    "Show the audit log, oldest line first. With --json, one document per line.")
    static final class Show extends SucceedingCommand {
        @Mixin private final AuditFilterOptions wanted = new AuditFilterOptions();

        @Override
        void act() throws IOException, ControlException, CliException {
            PrintStream out = output.surroundings().out();
            Ink ink = output.surroundings().outInk();
            Consumer<AuditLine> sink =
                    line -> out.println(output.isJson() ? json(line) : text(line, ink));
            wanted.read(output, sink);
            out.flush();
        }

        static String json(AuditLine line) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("seq", line.seq());
            document.put("time", line.time().toString());
            document.put("kind", line.event().kind());
            document.put("session", line.event().session());
            document.put("sandbox", line.sandbox());
            document.put("runtime", line.stamp().runtime());
            document.put("policy", line.stamp().policy());
            document.put("decision", line.event().decision());
            document.put("detail", line.event().detail());
            document.put("prev", line.prev());
            document.put("hash", line.hash());
            return Json.write(document);
        }

        private static String text(AuditLine line, Ink ink) {
            String decision = line.event().decision();
            String detail =
                    new TreeMap<>(line.event().detail())
                            .entrySet().stream()
                                    .map(e -> e.getKey() + "=" + Printable.of(e.getValue()))
                                    .collect(Collectors.joining(" "));
            return "%d %s %s %s %s %s"
                    .formatted(
                            line.seq(),
                            line.time(),
                            decision.equals("deny") ? ink.red("deny ") : "%-5s".formatted(decision),
                            line.event().kind(),
                            line.event().session().isEmpty() ? "-" : line.event().session(),
                            detail)
                    .stripTrailing();
        }
    }

    @Command(
            name = "verify",
            description = "Check that no line was changed, removed or added. Needs no daemon.",
            footer = {
                "",
                "Compares the log with its signed head and with the session store.",
                "Exit status: 0 if the chain holds, 1 if it does not."
            })
    static final class Verify implements Callable<Integer> {
        @Mixin private Output output;

        @Option(
                names = "--file",
                paramLabel = "PATH",
                description = "Read this log instead of the one in SALLYPORT_HOME.")
        private @Nullable Path file;

        @Option(
                names = "--witness",
                paramLabel = "FILE",
                description = "Compare the log with the heads that a witness has kept.")
        private @Nullable Path witness;

        @Override
        public Integer call() throws IOException, CliException {
            if (file == null && output.wardens().service().isPresent()) {
                throw ExitCode.UNAVAILABLE.because(
                        "files-of-root",
                        "Only root can read the files of your audit log.",
                        "Ask the administrator to run: sallyport audit verify --file "
                                + output.wardens().home().auditLog());
            }
            AuditVerdict verdict = verify(log(output, file));
            output.answer(verdict, text(verdict));
            return (verdict.holds() ? ExitCode.OK : ExitCode.FAILED).status();
        }

        private AuditVerdict verify(Path log) throws IOException, CliException {
            Known known = known(log);
            List<WitnessedHeads> heads = List.of(known.heads(), witnessed());
            try (Waiting waiting = output.waiting("checking the audit log")) {
                AtomicLong lines = new AtomicLong();
                waiting.asking(() -> "%,d lines".formatted(lines.get()));
                return AuditVerdict.of(
                        AuditVerifier.verify(log, known.mark(), heads, lines::set), Instant.now());
            }
        }

        private WitnessedHeads witnessed() throws IOException, CliException {
            return witness == null
                    ? WitnessedHeads.NONE
                    : WitnessedHeads.read(
                            NamedFile.of(output.surroundings(), "--witness", witness));
        }

        /// What the session store has seen of the log.
        private record Known(Optional<AuditMark> mark, WitnessedHeads heads) {
            static final Known NOTHING = new Known(Optional.empty(), WitnessedHeads.NONE);
        }

        /// A log in a Sallyport home is compared with the store of that home; a copy elsewhere has
        /// none.
        private static Known known(Path log) throws IOException {
            Path root = log.toAbsolutePath().normalize().resolve("../..").normalize();
            Home home = new Home(root);
            return home.auditLog().equals(log.toAbsolutePath().normalize())
                    ? SessionStores.askAudit(
                                    home,
                                    StorePlace.load(home.policyFile()),
                                    store -> new Known(store.auditMark(), store.heads()))
                            .orElse(Known.NOTHING)
                    : Known.NOTHING;
        }

        private static String text(AuditVerdict verdict) {
            return verdict.broken()
                    .map(
                            at ->
                                    "BROKEN at %s, line %d: %s (%d lines before it are intact)\n"
                                            .formatted(
                                                    Printable.of(at.file()),
                                                    at.line(),
                                                    Printable.of(at.reason()),
                                                    verdict.lines()))
                    .orElseGet(() -> verdict.lines() == 0 ? "no audit log yet\n" : whole(verdict));
        }

        private static String whole(AuditVerdict verdict) {
            String removed =
                    verdict.firstSeq() == 1
                            ? ""
                            : "begins at line %d; earlier lines were removed under the limits in policy.yaml\n"
                                    .formatted(verdict.firstSeq());
            String signed =
                    verdict.key().isEmpty() ? "" : "signed by key %s\n".formatted(verdict.key());
            return "the chain holds: %d lines, last hash %s\n"
                            .formatted(verdict.lines(), verdict.lastHash())
                    + removed
                    + signed;
        }
    }

    @Command(
            name = "begin",
            description = "Start a new log after the old one was lost or moved away.",
            footer = {
                "",
                "The daemon does not start if log lines are missing. Try to restore them first.",
                "If you cannot, stop the daemon, move the log's directory away and run this. The",
                "new log starts with the last hash of the old one."
            })
    static final class Begin extends SucceedingCommand {
        /// The stable document of `--json`.
        record Begun(long linesBefore, String lastHashBefore) {}

        @Override
        void act() throws IOException, CliException {
            Home home = output.wardens().home();
            if (AuditVerifier.verify(home.auditLog(), Optional.empty()).lines() > 0) {
                throw ExitCode.FAILED.because(
                        "log-exists",
                        "The audit log in " + home.auditDirectory() + " is not empty.",
                        "Move the directory away first.");
            }
            home.create();
            try (AuditStore store =
                    SessionStores.openAudit(home, StorePlace.load(home.policyFile()))) {
                AuditMark before = store.auditMark().orElse(new AuditMark(0, "", ""));
                store.markAudit(new AuditMark(0, before.hash(), ""));
                output.answer(
                        new Begun(before.seq(), before.hash()),
                        "a new log begins when the daemon starts; the old one had %d lines\n"
                                .formatted(before.seq()));
            }
        }
    }

    static Path log(Output output, @Nullable Path chosen) throws IOException, CliException {
        return chosen == null
                ? output.wardens().home().auditLog()
                : NamedFile.of(output.surroundings(), "--file", chosen);
    }

    @Command(
            name = "report",
            description = "Tell on one page what a sandbox did, also after it was removed.",
            footer = {
                "",
                "If several sandboxes had the name, the newest is shown. Use a session id for an",
                "older one.",
                "",
                "Examples:",
                "  sallyport audit report work",
                "  sallyport audit report 0123456789abcdef --json"
            })
    static final class Report extends SucceedingCommand {
        @Parameters(paramLabel = "NAME", description = "Name of the sandbox, or its session id.")
        private String name = "";

        @Override
        void act() throws IOException, ControlException, CliException {
            Recorded record = new Recorded(output);
            String session = newest(record).orElse(name);
            String sandbox = record.sandboxOf(session).orElse(name);
            SessionStory story = new SessionStory(sandbox);
            record.read(AuditFilter.ofSession(session), story::add);
            if (story.isEmpty()) {
                throw ExitCode.FAILED.because(
                        "nothing-recorded",
                        "The audit log has nothing about " + name + ".",
                        "Lines of the last hour: sallyport audit show --since 1h");
            }
            output.answer(story.report(sandbox, session), story.text(sandbox, session));
        }

        private Optional<String> newest(Recorded record)
                throws IOException, ControlException, CliException {
            String[] session = {""};
            AuditFilter named = AuditFilter.ALL.sandbox(name).last(1);
            record.read(named, line -> session[0] = line.event().session());
            return Optional.of(session[0]).filter(id -> !id.isEmpty());
        }
    }

    @Command(
            name = "export",
            description = "Print the audit log for other programs, one JSON document per line.",
            footer = {
                "",
                "ocsf: one event of the Open Cybersecurity Schema Framework 1.3 per line.",
                "otlp: OpenTelemetry logs, as OTLP/JSON, up to 512 records per line.",
                "",
                "Example:",
                "  sallyport audit export --format ocsf --since 1d > events.jsonl"
            })
    static final class Export extends SucceedingCommand {
        private static final int BATCH_LINES_MAX = 512;

        @Mixin private final AuditFilterOptions wanted = new AuditFilterOptions();

        @Option(
                names = "--format",
                paramLabel = "FORMAT",
                required = true,
                description = "ocsf or otlp.")
        private Format format = Format.ocsf;

        /// As they are typed.
        @SuppressWarnings("PMD.FieldNamingConventions")
        enum Format {
            ocsf,
            otlp
        }

        @Override
        void act() throws IOException, ControlException, CliException {
            PrintStream out = output.surroundings().out();
            if (format == Format.ocsf) {
                wanted.read(output, line -> out.println(Json.write(OcsfEvent.of(line))));
            } else {
                List<AuditLine> batch = new ArrayList<>();
                wanted.read(output, line -> add(batch, line, out));
                write(batch, out);
            }
            out.flush();
        }

        private static void add(List<AuditLine> batch, AuditLine line, PrintStream out) {
            batch.add(line);
            if (batch.size() == BATCH_LINES_MAX) {
                write(batch, out);
            }
        }

        private static void write(List<AuditLine> batch, PrintStream out) {
            if (!batch.isEmpty()) {
                out.println(Json.write(OtlpLogs.of(batch)));
                batch.clear();
            }
        }
    }
}
