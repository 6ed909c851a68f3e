package dev.sallyport.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the kernel offers and what its administrator has switched off.
///
/// @param proc where procfs is, `/proc`
/// @param cgroup where control groups are, `/sys/fs/cgroup`
/// @param landlock version of Landlock, 0 for none
/// @param root whether we are root, whom some switches do not concern
record KernelCheck(Path proc, Path cgroup, int landlock, boolean root) implements Check {
    private static final Pattern RELEASE = Pattern.compile("([0-9]+)\\.([0-9]+).*");

    /// 5.10 has everything that we call: pidfd_open (5.3), close_range (5.9).
    private static final int MAJOR_MIN = 5;

    private static final int MINOR_MIN = 10;

    @Override
    public List<Finding> look() {
        return List.of(release(), userNamespaces(), seccomp(), landlockFinding(), cgroups());
    }

    private Finding release() {
        String release = value("sys/kernel/osrelease");
        Matcher parts = RELEASE.matcher(release);
        if (!parts.matches()) {
            return Finding.fail("kernel", "unknown release", "Sallyport runs on Linux only.");
        }
        int major = Integer.parseInt(parts.group(1));
        boolean enough =
                major > MAJOR_MIN
                        || (major == MAJOR_MIN && Integer.parseInt(parts.group(2)) >= MINOR_MIN);
        return enough
                ? Finding.ok("kernel", release + ", with pidfd")
                : Finding.fail("kernel", release, "Update to Linux 5.10 or newer.");
    }

    /// Root may make namespaces unless there are to be none at all.
    private Finding userNamespaces() {
        String subject = "user namespaces";
        if (!Files.exists(proc.resolve("self/ns/user"))) {
            return Finding.fail(
                    subject, "the kernel has none", "Use a kernel with CONFIG_USER_NS.");
        }
        if (value("sys/user/max_user_namespaces").equals("0")) {
            return Finding.fail(
                    subject,
                    "user.max_user_namespaces is 0",
                    "Run as root: sysctl -w user.max_user_namespaces=10000");
        }
        if (value("sys/kernel/unprivileged_userns_clone").equals("0")) {
            return forbidden("kernel.unprivileged_userns_clone", 0, 1);
        }
        if (value("sys/kernel/apparmor_restrict_unprivileged_userns").equals("1")) {
            return forbidden("kernel.apparmor_restrict_unprivileged_userns", 1, 0);
        }
        return Finding.ok(subject, "allowed");
    }

    private Finding forbidden(String name, int found, int wanted) {
        String seen = name + " is " + found;
        String remedy = "Run as root: sysctl -w " + name + "=" + wanted;
        return root
                ? Finding.warn("user namespaces", seen, "For ordinary users: " + remedy)
                : Finding.fail("user namespaces", seen, remedy);
    }

    private Finding seccomp() {
        return value("sys/kernel/seccomp/actions_avail").contains("errno")
                ? Finding.ok("seccomp", "filters can be set")
                : Finding.fail("seccomp", "no filters", "Use a kernel with CONFIG_SECCOMP_FILTER.");
    }

    private Finding landlockFinding() {
        return landlock > 0
                ? Finding.ok("Landlock", "version " + landlock)
                : Finding.warn(
                        "Landlock",
                        "none",
                        "The gateway's access to files is not limited. Use a kernel with CONFIG_SECURITY_LANDLOCK"
                                + " and `landlock` in its lsm= list.");
    }

    private Finding cgroups() {
        return Files.exists(cgroup.resolve("cgroup.controllers"))
                ? Finding.ok("control groups", "version 2")
                : Finding.warn(
                        "control groups",
                        "not version 2",
                        "Limits work with version 1 too, for Docker and for root. systemd gives"
                                + " ordinary users groups of their own only with version 2, and"
                                + " bubblewrap needs them for --memory and --cpus. Boot with"
                                + " systemd.unified_cgroup_hierarchy=1");
    }

    private String value(String name) {
        try {
            return Files.readString(proc.resolve(name)).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
