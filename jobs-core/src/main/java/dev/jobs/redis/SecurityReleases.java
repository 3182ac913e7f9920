package dev.jobs.redis;

import dev.jobs.Internal;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which releases of Redis and Valkey have the fixes of the vulnerabilities that are known, all of which let those who
 * may use a server crash it or run code on it.
 *
 * <p>Says nothing of servers that it can't judge: managed services, which hide their program and patch it under its old
 * number; lines that are not listed; servers of {@code jobs-embedded-redis}.
 */
@Internal
public final class SecurityReleases {

    /**
     * @param product as in {@link ServerFacts#product}
     * @param name the line: major and minor version
     * @param patched the first release with all fixes; of a later line, if this one has ended without them
     * @param ended whether it has
     */
    record Line(String product, String name, String patched, boolean ended) {

        String called() {
            return product.equals("valkey") ? "Valkey" : "Redis";
        }
    }

    /**
     * As of 27 November 2026. CVE-2025-49844, -46817, -46818 and -46819 in Lua were fixed on 3 October 2025 by Redis
     * 6.2.20, 7.2.11, 7.4.6, 8.0.4 and 8.2.2, and Valkey 7.2.11, 8.0.6 and 8.1.4; these are later ones. Redis: release
     * notes of 17 August and 18 September 2026, record of CVE-2026-81934. Valkey: release notes of 21 July 2026
     * (CVE-2026-56684, -63639), for 9.1 those of 31 August.
     */
    static final List<Line> LINES = List.of(
            line("redis", "6.2", "6.2.24"),
            ended("redis", "7.0", "7.2.16"),
            line("redis", "7.2", "7.2.16"),
            line("redis", "7.4", "7.4.11"),
            ended("redis", "8.0", "8.2.10"),
            line("redis", "8.2", "8.2.10"),
            line("redis", "8.4", "8.4.6"),
            line("redis", "8.6", "8.6.7"),
            line("redis", "8.8", "8.8.3"),
            line("redis", "8.10", "8.10.2"),
            line("valkey", "7.2", "7.2.14"),
            line("valkey", "8.0", "8.0.10"),
            line("valkey", "8.1", "8.1.9"),
            line("valkey", "9.0", "9.0.5"),
            line("valkey", "9.1", "9.1.2"));

    private static final Pattern VERSION = Pattern.compile("(\\d{1,4}\\.\\d{1,4})\\.(\\d{1,4})");

    /** In the path of the configuration that the embedded server gets. */
    private static final String EMBEDDED = "/jobs-embedded-redis-";

    private SecurityReleases() {}

    private static Line line(String product, String name, String patched) {
        return new Line(product, name, patched, false);
    }

    private static Line ended(String product, String name, String later) {
        return new Line(product, name, later, true);
    }

    /** What to say of a server that lacks fixes; empty for one that has them, or that can't be judged. */
    public static Optional<String> warning(ServerFacts facts) {
        String version = facts.version();
        Matcher numbers = VERSION.matcher(version == null ? "" : version);
        if (!numbers.matches() || !isOneOfOurs(facts)) {
            return Optional.empty();
        }
        return LINES.stream()
                .filter(line ->
                        line.product().equals(facts.product()) && line.name().equals(numbers.group(1)))
                .filter(line -> line.ended() || patch(numbers.group(2)) < patch(line.patched()))
                .findFirst()
                .map(line -> warning(line, version));
    }

    private static int patch(String version) {
        return Integer.parseInt(version.substring(version.lastIndexOf('.') + 1));
    }

    private static String warning(Line line, @Nullable String version) {
        return "This server is " + line.called() + " " + version
                + ", which lacks fixes of vulnerabilities: who may use it may be able to run code on it. "
                + (line.ended()
                        ? "There are no more releases of " + line.name() + ": use " + line.patched() + " or later. "
                        : "Use " + line.patched() + " or later. ")
                + "If a distributor has patched it under this number, the level ERROR for the logger "
                + SecurityReleases.class.getName() + " silences this";
    }

    /** Whether the owner of the jobs runs it: they see its program in {@code INFO}, which managed services hide. */
    private static boolean isOneOfOurs(ServerFacts facts) {
        String program = facts.get("executable");
        String configuration = facts.get("config_file");
        return program != null
                && program.startsWith("/")
                && (configuration == null || !configuration.contains(EMBEDDED));
    }
}
