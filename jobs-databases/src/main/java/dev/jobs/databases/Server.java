package dev.jobs.databases;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server of MySQL or MariaDB at a free port of this machine, with a database {@code jobs} and a superuser {@code
 * root} who has no password. Its files are in a temporary directory, which is deleted with it.
 */
final class Server implements AutoCloseable {

    private static final String MYSQL_BINARIES = "/mysql-Linux-amd64.tar.gz";

    /** Both become the server. */
    private static final String MYSQL = """
            mkdir mysql && tar xzf mysql.tar.gz -C mysql || exit
            set -- --no-defaults --user="$(id -un)" --basedir="$PWD/mysql" --datadir="$PWD/data" --skip-log-bin
            mysql/bin/mysqld "$@" --initialize-insecure &&
            exec mysql/bin/mysqld "$@" --bind-address=127.0.0.1 --port=$port --socket="$PWD/socket" \\
                --init-file="$PWD/init.sql" --mysqlx=OFF
            """;

    private static final String MARIADB = """
            PATH=$PATH:/usr/sbin
            set -- --no-defaults --user="$(id -un)" --datadir="$PWD/data"
            mkdir data
            mariadb-install-db "$@" --auth-root-authentication-method=normal --skip-test-db &&
            exec mariadbd "$@" --bind-address=127.0.0.1 --port=$port --socket="$PWD/socket" --pid-file="$PWD/pid" \\
                --init-file="$PWD/init.sql"
            """;

    /**
     * The shell between this JVM and the server. Its standard input ends when the JVM closes it, exits or is killed.
     * From the server's start on, only the server has the other end of the output, so that it ends with the server.
     */
    private static final String WATCHDOG = """
            trap '' INT HUP TERM
            cd "$1" && port=$2 || exit
            (eval "$3") </dev/null 2>&1 &
            exec >/dev/null 2>&1
            cat
            kill -9 $!
            wait
            rm -rf "$1"
            """;

    private static final String READY = "ready for connections";

    /** A port that was free may be taken a moment later. */
    private static final int ATTEMPTS = 3;

    private static final long PATIENCE_SECONDS = 60;

    private final int port;
    private final Process watchdog;

    private Server(int port, Process watchdog) {
        this.port = port;
        this.watchdog = watchdog;
    }

    static Server mysql() {
        return start("mysql", MYSQL);
    }

    static Server mariadb() {
        return start("mariadb", MARIADB);
    }

    private static Server start(String kind, String script) {
        try {
            for (int attempt = 1; ; attempt++) {
                Server server = launch(kind, script);
                try {
                    server.awaitReady();
                    return server;
                } catch (IllegalStateException e) {
                    server.close();
                    if (attempt == ATTEMPTS) {
                        throw e;
                    }
                } catch (RuntimeException | Error e) {
                    server.close();
                    throw e;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Server launch(String kind, String script) throws IOException {
        Path directory = Files.createTempDirectory("jobs-" + kind + "-");
        if (script.equals(MYSQL)) {
            try (InputStream binaries = Server.class.getResourceAsStream(MYSQL_BINARIES)) {
                Files.copy(binaries, directory.resolve("mysql.tar.gz"));
            }
        }
        Files.writeString(directory.resolve("init.sql"), "create database jobs;\n");
        int port = freePort();
        Process watchdog = new ProcessBuilder(
                        "sh", "-c", WATCHDOG, "jobs-" + kind, directory.toString(), Integer.toString(port), script)
                .redirectErrorStream(true)
                .start();
        return new Server(port, watchdog);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitReady() {
        CompletableFuture<String> said = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(said), "jobs-database-output");
        reader.setDaemon(true);
        reader.start();
        String output;
        try {
            output = said.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException("The server was not ready within " + PATIENCE_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        if (!output.contains(READY)) {
            throw new IllegalStateException("The server ended: " + output);
        }
    }

    /** Hands over the output up to the line that says that the server is ready, or all of it, and reads on. */
    private void read(CompletableFuture<String> said) {
        StringBuilder output = new StringBuilder();
        try (BufferedReader lines = watchdog.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!said.isDone()) {
                    output.append(line).append('\n');
                    if (line.contains(READY)) {
                        said.complete(output.toString());
                    }
                }
            }
            said.complete(output.toString());
        } catch (IOException e) {
            said.completeExceptionally(e);
        }
    }

    int port() {
        return port;
    }

    /** Kills the server and deletes its files. */
    @Override
    public void close() {
        try {
            watchdog.getOutputStream().close();
            if (!watchdog.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                watchdog.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
