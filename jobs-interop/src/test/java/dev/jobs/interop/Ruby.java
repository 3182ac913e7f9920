package dev.jobs.interop;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Ruby that the tests run, with its Sidekiq. All its processes work in this module's folder, under whatever path
 * they see it.
 *
 * @param command starts it, without its own arguments
 * @param version of Sidekiq
 */
record Ruby(List<String> command, String version) {

    /** Names a command that runs a Ruby with Sidekiq, or a folder with a system that has one. */
    static final String PROPERTY = "jobs.interop.ruby";

    /** What the reasons of skipped tests begin with. */
    static final String MISSING = "missing: ";

    /** The one that also has sidekiq-cron 2. */
    static final String WITH_SIDEKIQ_8 = "a Ruby that jobs-interop/sidekiq-8 installs (-D" + PROPERTY + ")";

    private static final String OF_THIS_MACHINE = "ruby";

    static final Path SCRIPTS = Path.of("src", "test", "ruby");

    /**
     * Runs the Ruby of a folder in its own mount namespace, with this module's folder and {@code /proc} mounted in that
     * folder: the mounts end with it. The started process becomes the one that runs Ruby.
     */
    private static final List<String> IN_FOLDER = List.of("unshare", "--mount", "sh", "-c", """
            folder=$0
            mount --rbind /proc "$folder/proc" && mount --bind . "$folder/mnt" && exec chroot "$folder" ruby -C /mnt "$@"\
            """);

    Ruby {
        command = List.copyOf(command);
    }

    /** The Ruby of this machine. Searched for once, since the check costs as much as starting Ruby. */
    private static final class OfThisRun {
        static final Search FOUND = Search.of(System.getProperty(PROPERTY, OF_THIS_MACHINE));
    }

    /**
     * The result of the search for a Ruby.
     *
     * @param missing why tests are skipped if there is none
     */
    record Search(Optional<Ruby> ruby, String missing) {

        private static Search of(String named) {
            List<String> command = new ArrayList<>();
            if (Files.isDirectory(Path.of(named))) {
                command.addAll(IN_FOLDER);
                command.add(named);
            } else {
                command.addAll(List.of(named.strip().split("\\s+")));
            }
            try {
                return new Search(Optional.of(new Ruby(command, version(command))), "");
            } catch (IOException e) {
                String missing = named.equals(OF_THIS_MACHINE)
                        ? "ruby ruby-sidekiq ruby-webrick"
                        : "a Ruby with sidekiq and webrick in '%s' (-D%s): %s"
                                .formatted(named, PROPERTY, e.getMessage());
                return new Search(Optional.empty(), MISSING + missing);
            }
        }
    }

    static Search search() {
        return OfThisRun.FOUND;
    }

    private static String version(List<String> command) throws IOException {
        List<String> asking = new ArrayList<>(command);
        asking.addAll(List.of("-r./" + SCRIPTS.resolve("libraries.rb"), "-e", "print Sidekiq::VERSION"));
        Path said = Files.createTempFile("ruby", ".txt");
        try {
            Process process =
                    new ProcessBuilder(asking).redirectError(said.toFile()).start();
            process.getOutputStream().close();
            String answer = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (process.onExit().join().exitValue() != 0) {
                throw new IOException(Files.readString(said).lines().findFirst().orElse("it failed without a word"));
            }
            return answer;
        } finally {
            Files.delete(said);
        }
    }

    /** Whether its Sidekiq has this major version or a later one. */
    boolean isAtLeast(int major) {
        return Integer.parseInt(version.substring(0, version.indexOf('.'))) >= major;
    }

    /**
     * Starts a process that communicates through its standard streams.
     *
     * @param log for its errors
     */
    RubyProcess start(Path log, Map<String, String> environment, String... arguments) {
        return RubyProcess.start(builder(log, environment, arguments));
    }

    /** Starts a process that only writes a log. */
    RubyProcess startSilent(Path log, Map<String, String> environment, String... arguments) {
        return RubyProcess.start(builder(log, environment, arguments)
                .redirectOutput(log.toFile())
                .redirectErrorStream(true));
    }

    private ProcessBuilder builder(Path log, Map<String, String> environment, String... arguments) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(whole).redirectError(log.toFile());
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().putAll(environment);
        return builder;
    }
}
