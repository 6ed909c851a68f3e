package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.MountBench;
import dev.sallyport.sandbox.Person;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Mounts, hidden files and limits of a bubblewrap sandbox. Runs as root here and as an ordinary
/// user in [BubblewrapAsOrdinaryUserIT].
class BubblewrapMountIT {
    @TempDir Path directory;
    private MountBench mounts;

    @BeforeEach
    void prepare() throws Exception {
        var installation = new Installation(Files.createDirectory(directory.resolve("home")));
        mounts =
                new MountBench(
                        new BubblewrapRuntime(installation, Person.current()),
                        installation,
                        directory);
    }

    @Test
    void i10MountsAreWhatWasAskedFor() throws Exception {
        mounts.mountsAreWhatWasAskedFor();
    }

    @Test
    void i11AHiddenFileCannotBeRead() throws Exception {
        mounts.aHiddenFileCannotBeRead();
    }

    @Test
    void i4WhatWasReplacedMeanwhileIsRefused() throws Exception {
        mounts.whatWasReplacedMeanwhileIsRefused();
    }

    @Test
    void limitsHoldForEveryCommand() throws Exception {
        mounts.limitsHoldForEveryCommand();
    }
}
