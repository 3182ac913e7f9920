package dev.jobs.embeddedredis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds a server that is installed on this machine. */
final class InstalledBinary {

    static final String OLDEST_VERSION = "6.2";

    private static final List<String> NAMES = List.of("redis-server", "valkey-server");

    private static final Pattern VERSION = Pattern.compile("\\bv=(\\d+)\\.(\\d+)");

    private InstalledBinary() {}

    static Optional<RedisBinary> on(SearchPath path) {
        return NAMES.stream()
                .flatMap(path::find)
                .filter(InstalledBinary::isRecentEnough)
                .map(program -> new RedisBinary(program, "from the PATH"))
                .findFirst();
    }

    /** An old server would start, and then refuse commands later. */
    private static boolean isRecentEnough(Path program) {
        Matcher version = VERSION.matcher(versionLine(program));
        if (!version.find()) {
            return false;
        }
        int major = Integer.parseInt(version.group(1));
        int minor = Integer.parseInt(version.group(2));
        return major > 6 || (major == 6 && minor >= 2);
    }

    private static String versionLine(Path program) {
        try {
            Process process = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String line = new String(process.getInputStream().readNBytes(1_000), StandardCharsets.UTF_8);
            process.waitFor(1, TimeUnit.SECONDS);
            process.destroy();
            return line;
        } catch (IOException ex) {
            return ""; // not executable, so not a candidate
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
