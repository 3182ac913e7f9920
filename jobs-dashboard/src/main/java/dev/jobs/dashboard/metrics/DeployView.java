package dev.jobs.dashboard.metrics;

import dev.jobs.Internal;
import dev.jobs.assembly.JobsAdmin;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Shown;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** A deployment that charts mark. */
@Internal
public record DeployView(long at, String label) {

    private static final int MOST = 50;
    private static final int MOST_DAYS = 90;

    /** Those since a time, oldest first; the latest ones if there are many. */
    public static List<DeployView> since(Instant from, JobsAdmin admin, Clock clock) {
        long days = Duration.between(from, clock.instant()).toDays() + 2;
        List<DeployView> all = admin.metrics().deploys((int) Math.max(1, Math.min(MOST_DAYS, days))).stream()
                .filter(deploy -> !deploy.at().isBefore(from))
                .flatMap(deploy -> Stream.ofNullable(Shown.millis(deploy.at()))
                        .map(at -> new DeployView(at, Shown.cut(deploy.label(), ApiRequest.MOST_NAME))))
                .toList();
        return all.subList(Math.max(0, all.size() - MOST), all.size());
    }
}
