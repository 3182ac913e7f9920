package dev.jobs.dashboard;

import dev.jobs.assembly.JobsAdmin;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A deployment that charts mark. */
record DeployView(long at, String label) {

    private static final int MOST = 50;
    private static final int MOST_DAYS = 90;

    /** Those since a time, oldest first; the latest ones if there are many. */
    static List<DeployView> since(Instant from, JobsAdmin admin, Clock clock) {
        long days = Duration.between(from, clock.instant()).toDays() + 2;
        List<DeployView> all = admin.metrics().deploys((int) Math.max(1, Math.min(MOST_DAYS, days))).stream()
                .filter(deploy -> !deploy.at().isBefore(from))
                .map(deploy ->
                        new DeployView(deploy.at().toEpochMilli(), Views.cut(deploy.label(), JobLocation.MOST_NAME)))
                .toList();
        return all.subList(Math.max(0, all.size() - MOST), all.size());
    }
}
