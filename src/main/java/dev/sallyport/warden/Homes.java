package dev.sallyport.warden;

import dev.sallyport.config.TrustedFiles;
import dev.sallyport.control.Api;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ForeignTree;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.Workspace;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The home directories that outlive a start of their sandbox: one for each project, shared by what
/// `run` makes there, and one for each sandbox that stays, until it is destroyed (ADR 20).
///
/// Each is a directory of ours with a note about it and, for each user that sandboxes had there,
/// the home itself, which is that user's. Nothing here opens a file in it.
final class Homes {
    private static final System.Logger LOG = System.getLogger(Homes.class.getName());
    private static final String PROJECT = "project-";
    private static final String REMOVED = "removed-";
    private static final int DIGEST_CHARS = 32;

    private final Patron patron;
    private final SessionStore store;
    private final Ledger ledger;
    private final LongSupplier bytesMax;

    /// Those that a sandbox is being started with.
    private final Map<Path, Integer> entered = new HashMap<>();

    private final Set<Thread> measuring = ConcurrentHashMap.newKeySet();

    /// @param bytesMax as the policy file has it now
    Homes(Patron patron, SessionStore store, Ledger ledger, LongSupplier bytesMax) {
        this.patron = patron;
        this.store = store;
        this.ledger = ledger;
        this.bytesMax = bytesMax;
    }

    private Path root() {
        return patron.home().homes();
    }

    /// The home of a sandbox to come.
    SandboxHome plan(Api.CreateSandbox request, SessionId id, Workspace.Checked files)
            throws OperationException {
        Optional<Path> directory = Optional.empty();
        if (!request.home().ephemeral()) {
            requireFree(files);
            directory =
                    Optional.of(
                            root().resolve(
                                            request.ephemeral()
                                                    ? PROJECT + digest(files.workspace())
                                                    : id.value()));
        }
        try {
            return new SandboxHome(directory, request.home().seeds());
        } catch (IllegalArgumentException e) {
            throw OperationException.invalid(
                    "The home directory would be too large: " + e.getMessage() + ".",
                    "Leave some of it out.");
        }
    }

    /// Nothing is ever mounted on a path that an earlier command has filled.
    private static void requireFree(Workspace.Checked files) throws OperationException {
        Path home = SandboxHome.PLACE;
        boolean taken =
                Stream.concat(
                                Stream.of(files.workspace()),
                                files.mounts().extra().stream().map(HostMount::path))
                        .anyMatch(path -> path.startsWith(home) || home.startsWith(path));
        if (taken) {
            throw OperationException.invalid(
                    "The sandbox's home directory would be " + home + ", which is mounted.",
                    "Use --ephemeral-home.");
        }
    }

    private static String digest(Path workspace) {
        byte[] path = workspace.toString().getBytes(StandardCharsets.UTF_8);
        return TrustedFiles.digest(path).substring(0, DIGEST_CHARS);
    }

    /// Starts a sandbox, while nobody can remove its home.
    Session during(Session session, OperationException.Question<Session> start)
            throws IOException, SandboxException, OperationException {
        Optional<Path> directory = session.spec().home().directory();
        if (directory.isEmpty()) {
            return start.ask();
        }
        enter(directory.get());
        try {
            prepare(session, directory.get());
            return start.ask();
        } finally {
            leave(directory.get());
        }
    }

    private synchronized void enter(Path directory) {
        entered.merge(directory, 1, Integer::sum);
    }

    private synchronized void leave(Path directory) {
        entered.merge(directory, -1, (a, b) -> a + b == 0 ? null : a + b);
    }

    /// Refuses one that has grown too large. Most were measured when they were left.
    private void prepare(Session session, Path directory) throws IOException, OperationException {
        patron.makePassable(directory);
        Optional<HomeNote> known = HomeNote.read(directory);
        String of = session.ephemeral() ? session.spec().workspace().toString() : session.name();
        long most = bytesMax.getAsLong();
        if (known.isPresent() && known.get().bytes().filter(bytes -> bytes <= most).isEmpty()) {
            ForeignTree.Size size = new ForeignTree(directory).size();
            if (!size.whole() || size.bytes() > most) {
                throw OperationException.conflict(
                        size.whole()
                                ? "The home directory of %s has %s, and the limit is %s."
                                        .formatted(of, size(size.bytes()), size(most))
                                : "The home directory of " + of + " cannot be measured.",
                        "Remove it: sallyport homes remove "
                                + of
                                + "; or use --ephemeral-home; or raise home-bytes-max of sessions: in policy.yaml.");
            }
        }
        new HomeNote(of, Optional.empty()).write(directory);
    }

    static String size(long bytes) {
        return (bytes >> 20) + " MiB";
    }

    /// A sandbox has stopped: measures what it left, behind the back of whoever waits for that.
    void left(Session session) {
        Optional<Path> directory = session.spec().home().directory();
        directory.ifPresent(d -> measuring.add(Thread.startVirtualThread(() -> measure(d))));
        measuring.removeIf(thread -> !thread.isAlive());
    }

    /// Waits until all that were left are measured.
    void settle() throws InterruptedException {
        for (Thread thread : measuring) {
            thread.join();
        }
    }

    private void measure(Path directory) {
        try {
            Instant used = HomeNote.lastUsed(directory);
            Optional<HomeNote> known = HomeNote.read(directory);
            ForeignTree.Size size = new ForeignTree(directory).size();
            if (known.isPresent() && size.whole()) {
                HomeNote note = new HomeNote(known.get().of(), Optional.of(size.bytes()));
                note.writeUnlessUsed(directory, used);
            }
        } catch (IOException | OperationException e) {
            // It was removed meanwhile, or is measured again before its next use.
            LOG.log(System.Logger.Level.DEBUG, "not noted: " + directory, e);
        }
    }

    /// Why a home in use is too large, if it is.
    Optional<String> complaint(Session session) {
        Optional<Path> directory = session.spec().home().directory();
        if (directory.isEmpty()) {
            return Optional.empty();
        }
        long bytes =
                new ForeignTree(directory.get()).size().bytes()
                        + new ForeignTree(session.spec().files().resolve(SandboxFiles.TEMPORARY))
                                .size()
                                .bytes();
        long most = bytesMax.getAsLong();
        return bytes <= most
                ? Optional.empty()
                : Optional.of(
                        "its home directory and temporary files have %s, more than %s: it does not start again until there is less; see: sallyport homes"
                                .formatted(size(bytes), size(most)));
    }

    Api.HomeList list() throws OperationException {
        List<Session> running = running();
        List<Api.HomeView> views = new ArrayList<>();
        for (Path directory : directories()) {
            Optional<HomeNote> about = HomeNote.read(directory);
            if (about.isPresent()) {
                ForeignTree.Size size =
                        about.get().bytes().isPresent()
                                ? new ForeignTree.Size(about.get().bytes().get(), true)
                                : new ForeignTree(directory).size();
                views.add(
                        new Api.HomeView(
                                about.get().of(),
                                size.whole() ? Optional.of(size.bytes()) : Optional.empty(),
                                HomeNote.lastUsed(directory).toString(),
                                running.stream()
                                        .filter(session -> uses(session, directory))
                                        .map(Session::name)
                                        .toList()));
            }
        }
        return new Api.HomeList(views);
    }

    private List<Session> running() throws OperationException {
        return sessions().stream()
                .filter(session -> !session.isAtRest() || session.identity().isPresent())
                .toList();
    }

    private List<Session> sessions() throws OperationException {
        return OperationException.asking(() -> store.contents().sessions());
    }

    private static boolean uses(Session session, Path directory) {
        return session.spec().home().directory().filter(directory::equals).isPresent();
    }

    Api.HomesRemoved remove(Api.RemoveHomes request) throws OperationException {
        if (request.of().isPresent() == request.unused().isPresent()) {
            throw OperationException.invalid(
                    "Say which home directories.", "Give a name or a path, or --unused.");
        }
        Instant before =
                request.unused().isPresent()
                        ? Instant.now()
                                .minus(LifeRequests.duration("--unused", request.unused().get()))
                        : Instant.MIN;
        List<String> removed = new ArrayList<>();
        for (Path directory : directories()) {
            Optional<String> of = HomeNote.read(directory).map(HomeNote::of);
            if (of.isPresent()
                    && (request.of().isPresent()
                            ? of.equals(request.of())
                            : isUnusedSince(before, directory))) {
                remove(directory, of.get());
                removed.add(of.get());
            }
        }
        if (removed.isEmpty() && request.of().isPresent()) {
            throw OperationException.notFound(
                    "There is no home directory of " + request.of().get() + ".",
                    "List them with: sallyport homes");
        }
        return new Api.HomesRemoved(removed);
    }

    /// Of a project: that of a sandbox that stays goes with the sandbox.
    private boolean isUnusedSince(Instant before, Path directory) throws OperationException {
        return directory.getFileName().toString().startsWith(PROJECT)
                && HomeNote.lastUsed(directory).isBefore(before)
                && !isUsed(directory);
    }

    private synchronized boolean isUsed(Path directory) throws OperationException {
        return entered.containsKey(directory)
                || running().stream().anyMatch(session -> uses(session, directory));
    }

    private void remove(Path directory, String of) throws OperationException {
        ledger.record("home.remove", Map.of("home", of));
        Path aside;
        synchronized (this) {
            if (isUsed(directory)) {
                throw OperationException.conflict(
                        "The home directory of " + of + " is in use.",
                        "End the sandboxes that use it first; see: sallyport homes");
            }
            aside = aside(directory);
        }
        discard(aside);
    }

    /// In one step, so that whatever starts next begins with nothing.
    private Path aside(Path directory) throws OperationException {
        Path aside = root().resolve(REMOVED + UUID.randomUUID());
        try {
            boolean stays = sessions().stream().anyMatch(session -> uses(session, directory));
            Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
            if (stays) {
                makeAgain(directory, aside);
            }
            return aside;
        } catch (IOException | SandboxException e) {
            throw OperationException.failed(e);
        }
    }

    /// A stopped container expects its mounts where they were.
    private void makeAgain(Path directory, Path aside) throws IOException, SandboxException {
        patron.makePassable(directory);
        for (Path home : entries(aside)) {
            if (Files.isDirectory(home, LinkOption.NOFOLLOW_LINKS)) {
                new ForeignTree(directory.resolve(home.getFileName()))
                        .make(number(home, "unix:uid"), number(home, "unix:gid"));
            }
        }
    }

    private static long number(Path path, String attribute) throws IOException {
        return Integer.toUnsignedLong(
                (int) Files.getAttribute(path, attribute, LinkOption.NOFOLLOW_LINKS));
    }

    private static void discard(Path aside) throws OperationException {
        OperationException.doing(() -> new ForeignTree(aside).remove());
    }

    /// A sandbox is gone for good, and its home with it, unless that is its project's.
    void gone(Session session) {
        if (session.ephemeral()) {
            left(session);
            return;
        }
        Optional<Path> directory = session.spec().home().directory();
        try {
            if (directory.isPresent() && Files.exists(directory.get(), LinkOption.NOFOLLOW_LINKS)) {
                discard(aside(directory.get()));
            }
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.ERROR, "swept later: " + directory, e);
        }
    }

    /// Removes what is left of homes that were being removed, or whose sandbox is gone.
    ///
    /// @param found seen before `known`
    void sweep(List<Path> found, Set<SessionId> known) throws OperationException {
        Set<String> keep = known.stream().map(SessionId::value).collect(Collectors.toSet());
        for (Path directory : found) {
            String name = directory.getFileName().toString();
            if (name.startsWith(REMOVED) || !(name.startsWith(PROJECT) || keep.contains(name))) {
                discard(directory);
            }
        }
    }

    List<Path> directories() throws OperationException {
        return OperationException.asking(() -> entries(root()));
    }

    private static List<Path> entries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }
}
