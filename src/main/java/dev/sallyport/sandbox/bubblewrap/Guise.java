package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.confine.OwnKeyring;
import dev.sallyport.sandbox.Guest;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.SandboxException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// As whom the programs that make a sandbox run: as ourselves, or as the guest whose sandbox it is.
/// Then the kernel judges by the guest's rights what they may mount, and the guest, as the owner of
/// the namespaces, can enter them without our help.
///
/// @param readers further group, by which alone they can read the sandbox's files
public record Guise(Optional<Guest> guest, int readers) {
    public static final Guise OWN = new Guise(Optional.empty(), 0);

    private Guest now() throws SandboxException {
        try {
            return guest.orElseThrow().now();
        } catch (IOException e) {
            throw new SandboxException(String.valueOf(e.getMessage()), e);
        }
    }

    /// What a look at files may find.
    interface Look {
        void look() throws SandboxException;
    }

    /// Looks at files with the rights of whose sandbox it is.
    void look(Look look) throws SandboxException {
        if (guest.isEmpty()) {
            look.look();
            return;
        }
        try {
            guest.get()
                    .during(
                            () -> {
                                look.look();
                                return look;
                            });
        } catch (SandboxException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SandboxException("files cannot be read: " + e.getMessage(), e);
        }
    }

    /// A guest's programs get none of our keys, nor a keyring that they could fill.
    Process start(ProcessBuilder builder) throws IOException {
        return guest.isPresent() ? OwnKeyring.start(builder) : builder.start();
    }

    /// The beginning of a command line that runs the rest so.
    List<String> words() throws SandboxException {
        if (guest.isEmpty()) {
            return List.of();
        }
        Guest who = now();
        List<Integer> groups = new ArrayList<>(who.groups());
        groups.add(readers);
        return List.of(
                HostProgram.require("setpriv"),
                "--reuid",
                Integer.toString(who.person().uid()),
                "--regid",
                Integer.toString(who.person().gid()),
                "--groups",
                groups.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "--inh-caps=-all",
                "--no-new-privs",
                "--");
    }
}
