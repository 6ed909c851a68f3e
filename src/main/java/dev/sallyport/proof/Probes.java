package dev.sallyport.proof;

import java.util.List;

/// What is run inside: one POSIX shell script that needs `cat` and `ls`, for talking to sockets
/// bash, and for system calls perl or python3. Every part says its name on a line of its own, after
/// a mark that nobody can know before.
///
/// It opens files for appending to see whether it may, and writes nothing.
final class Probes {
    /// Documentation addresses (RFC 5737): nobody is there, and without a route nothing is sent.
    static final String ELSEWHERE = "192.0.2.1";

    /// Reserved (RFC 6761): in no policy, and nowhere else.
    static final String UNKNOWN_NAME = "sallyport-verify.invalid";

    private static final String SCRIPT =
            """
            LC_ALL=C; export LC_ALL
            mark=$1 yes=$2 no=$3 elsewhere=$4
            part() { printf '\\n%s %s\\n' "$mark" "$1"; }
            opens() { ( : >>"$1" ) 2>/dev/null; }
            limit=
            command -v timeout >/dev/null 2>&1 && limit='timeout 10'
            part status; cat /proc/self/status
            part dev; cat /proc/net/dev
            part environ; cat /proc/$$/environ
            part environ1; cat /proc/1/environ 2>/dev/null
            part namespaces; ls -l /proc/self/ns
            part cmdline1; cat /proc/1/cmdline
            part gitconfig; cat /etc/gitconfig
            part files; cat /etc/resolv.conf /etc/hosts
            part unmasked
            for f in /proc/keys /proc/timer_list /proc/sched_debug /proc/latency_stats; do
              if [ -e "$f" ] && ( IFS= read -r line <"$f" && [ -n "$line" ] ) 2>/dev/null; then echo "$f"; fi
            done
            part writable
            for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger \
                /etc/gitconfig /etc/resolv.conf /etc/hosts; do
              if [ -e "$f" ] && opens "$f"; then echo "$f"; fi
            done
            perl='sub said { printf "%s %d\\n", $_[0], $_[1] ? 0 : $!+0 }
              use POSIX; my $unshare = (POSIX::uname())[4] eq "aarch64" ? 97 : 272;
              said("inet", socket(A, 2, 2, 0)); said("vsock", socket(B, 40, 1, 0));
              said("alg", socket(C, 38, 5, 0)); said("io_uring", syscall(425, 1, 0) != -1);
              said("namespace", syscall($unshare, 0x50000000) != -1);'
            python='if 1:
              import ctypes, errno, socket
              def said(name, works): print(name, 0 if works else ctypes.get_errno())
              c = ctypes.CDLL(None, use_errno=True)
              said("inet", c.socket(2, 2, 0) != -1); said("vsock", c.socket(40, 1, 0) != -1)
              said("alg", c.socket(38, 5, 0) != -1); said("io_uring", c.syscall(425, 1, 0) != -1)
              said("namespace", c.unshare(0x50000000) != -1)'
            if command -v perl >/dev/null 2>&1; then
              part calls; perl -e "$perl" 2>/dev/null
            elif command -v python3 >/dev/null 2>&1; then
              part calls; python3 -c "$python" 2>/dev/null
            fi
            part control; opens /dev/null && echo opened
            if command -v bash >/dev/null 2>&1; then
              part page
              $limit bash -c 'exec 3<>/dev/tcp/127.0.0.1/80 && printf "GET /policy HTTP/1.1\\r\\nHost: gateway.sallyport\\r\\nConnection: close\\r\\n\\r\\n" >&3 && cat <&3' 2>/dev/null
              part direct
              $limit bash -c 'exec 3<>/dev/tcp/'"$elsewhere"'/443 && echo connected' 2>&1
              part resolver
              $limit bash -c 'exec 3<>/dev/udp/'"$elsewhere"'/53 && echo connected' 2>&1
              if command -v head >/dev/null 2>&1; then
                part nameNo
                $limit bash -c 'exec 3<>/dev/udp/127.0.0.1/53 && printf "$0" >&3 && head -c 12 <&3' "$no" 2>/dev/null
                part nameYes
                $limit bash -c 'exec 3<>/dev/udp/127.0.0.1/53 && printf "$0" >&3 && head -c 12 <&3' "$yes" 2>/dev/null
              fi
            elif command -v wget >/dev/null 2>&1; then
              part page; $limit wget -q -O - http://gateway.sallyport/policy 2>/dev/null
            elif command -v curl >/dev/null 2>&1; then
              part page; curl -s -m 10 http://gateway.sallyport/policy 2>/dev/null
            fi
            part end
            """;

    /// @param mark what parts are told apart by
    /// @param allowed a name that must resolve
    static List<String> command(String mark, String allowed) {
        return List.of(
                "sh",
                "-c",
                SCRIPT,
                "sallyport-verify",
                mark,
                Question.escaped(allowed),
                Question.escaped(UNKNOWN_NAME),
                ELSEWHERE);
    }

    /// A DNS question for the address of a name (RFC 1035, section 4.1), and what the head of an
    /// answer says.
    static final class Question {
        private static final String ID = "\\x12\\x34";
        private static final String HEAD =
                ID + "\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00";
        private static final String ADDRESS = "\\x00\\x00\\x01\\x00\\x01";
        private static final int HEAD_BYTES = 12;
        private static final int NO_SUCH_NAME = 3;

        /// As `printf` of bash writes it.
        static String escaped(String name) {
            StringBuilder text = new StringBuilder(HEAD);
            for (String label : name.split("\\.", -1)) {
                text.append(String.format("\\x%02x", label.length()));
                label.chars().forEach(c -> text.append(String.format("\\x%02x", c)));
            }
            return text.append(ADDRESS).toString();
        }

        /// In words, for a person.
        static String meaning(String answer) {
            if (answer.length() < HEAD_BYTES
                    || answer.charAt(0) != 0x12
                    || answer.charAt(1) != 0x34) {
                return "no answer";
            }
            int code = answer.charAt(3) & 0xf;
            int records = (answer.charAt(6) << 8) | answer.charAt(7);
            return switch (code) {
                case 0 -> records > 0 ? "an address" : "no address";
                case NO_SUCH_NAME -> "NXDOMAIN";
                default -> "code " + code;
            };
        }
    }
}
