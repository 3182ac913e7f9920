package dev.jobs.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Servers of the past, which the build unpacks. They run on Linux with an amd64 processor. */
public enum OldServers {
    REDIS_6_0("redis-server-6.0.5"),
    /** The oldest that is supported. */
    REDIS_6_2("redis-server-6.2.7-linux-amd64");

    private final String file;

    OldServers(String file) {
        this.file = file;
    }

    /** Starts one whose program is in this directory of the test. */
    public RedisFixture start(Path directory) {
        return RedisFixture.startProgram(program(directory));
    }

    /** Puts the program into this directory of the test. */
    public Path program(Path directory) {
        Path program = directory.resolve(file);
        try {
            Files.copy(
                    Path.of("..", "jobs-core", "target", "old-servers", file),
                    program,
                    StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return program;
    }
}
