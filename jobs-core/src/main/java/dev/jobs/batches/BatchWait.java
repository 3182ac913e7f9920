package dev.jobs.batches;

import dev.jobs.admin.Finding;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.WorkInfo;
import java.util.List;

/**
 * Why a batch is not finished.
 *
 * @param reasons what it or its callbacks wait for; empty if there is nothing
 * @param running some of its jobs that run, at most 10
 * @param waiting some of its jobs that wait in queues and sets, at most 10
 * @param partial whether the search for them stopped before it looked everywhere
 */
public record BatchWait(List<Finding> reasons, List<WorkInfo> running, List<ListedJob> waiting, boolean partial) {

    public BatchWait {
        reasons = List.copyOf(reasons);
        running = List.copyOf(running);
        waiting = List.copyOf(waiting);
    }
}
