package dev.jobs.benchmarks.driver;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process occupies. */
public final class Footprint {

    private Footprint() {}

    /** Its heap, its threads and, on Linux, its resident memory. */
    public static Answer now() throws IOException {
        Answer answer = new Answer()
                .with(
                        "heap_bytes",
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed())
                .with("threads", ManagementFactory.getThreadMXBean().getThreadCount());
        Path status = Path.of("/proc/self/status");
        if (Files.exists(status)) {
            Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .forEach(line -> answer.with("resident_bytes", Long.parseLong(line.replaceAll("\\D", "")) * 1024));
        }
        return answer;
    }
}
