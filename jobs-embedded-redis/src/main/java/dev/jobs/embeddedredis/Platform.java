package dev.jobs.embeddedredis;

import java.util.Locale;

/**
 * Operating system and processor, as in the names of the bundled servers.
 *
 * @param system "linux", "darwin" or, for anything else, the JVM's name for it
 * @param processor "amd64", "arm64", "386" or the JVM's name for it
 */
record Platform(String system, String processor) {

    static Platform current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    static Platform of(String osName, String osArch) {
        return new Platform(system(osName), processor(osArch));
    }

    boolean isPosix() {
        return !system.startsWith("Windows");
    }

    private static String system(String osName) {
        if (osName.startsWith("Mac")) {
            return "darwin";
        }
        return osName.equals("Linux") ? "linux" : osName;
    }

    private static String processor(String osArch) {
        return switch (osArch.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            case "x86", "i386", "i486", "i586", "i686" -> "386";
            default -> osArch;
        };
    }

    @Override
    public String toString() {
        return system + " on " + processor;
    }
}
