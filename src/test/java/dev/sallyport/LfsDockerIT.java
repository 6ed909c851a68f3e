package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.git.GitBackend;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Large files in a container whose image has git-lfs: set up there as everywhere, without a flag.
class LfsDockerIT {
    private static final String IMAGE = "with-git-lfs";
    private static final String BOX = "container";
    private static PrivateDocker docker;
    private static JgitLfsRig rig;

    @BeforeAll
    static void start() throws Exception {
        docker = PrivateDocker.start();
        docker.docker("create", "--name", "mould", "--network", "none", PrivateDocker.IMAGE, "true")
                .run()
                .ok();
        docker.docker("cp", "/usr/bin/git-lfs", "mould:/usr/bin/git-lfs").run().ok();
        docker.docker("commit", "mould", IMAGE).run().ok();
        rig = new JgitLfsRig(Map.of("DOCKER_HOST", docker.host()));
        rig.create(BOX, "--runtime", "docker", "--image", IMAGE);
    }

    @AfterAll
    static void stop() {
        rig.close();
        docker.close();
    }

    @Test
    void cloneAndPushMoveLargeFilesAndAWrongOneIsRefused() {
        String made =
                rig.inClone(
                                BOX,
                                """
                                sha256sum shared.bin; git checkout -q -b agent/docker; head -c 20000000 /dev/urandom > d.bin
                                git add .; git commit -qm d; git push -q origin agent/docker; sha256sum d.bin
                                """)
                        .ok();
        String found = rig.inClone(BOX, "git checkout -q agent/docker; sha256sum d.bin").ok();

        assertThat(made).startsWith(rig.sharedOid);
        assertThat(made.lines().toList().getLast()).isEqualTo(found);
        assertThat(rig.server.object(found.substring(0, 64))).exists();

        rig.reset();
        Command.Result wrong =
                rig.inClone(
                        BOX,
                        """
                        git checkout -q -b agent/wrong; date +%N > w.bin; git add .; git commit -qm w
                        oid=$(git lfs ls-files -l | grep w.bin | cut -d' ' -f1)
                        f=.git/lfs/objects/${oid:0:2}/${oid:2:2}/$oid; chmod u+w $f
                        printf XX | dd of=$f conv=notrunc status=none; git -c lfs.transfer.maxretries=1 push origin agent/wrong
                        """);
        assertThat(wrong.exit()).isNotZero();
        assertThat(wrong.err()).contains("not the one that its id and size name");
        assertThat(rig.git.seen()).noneMatch(GitBackend.Seen::isPush);
    }
}
