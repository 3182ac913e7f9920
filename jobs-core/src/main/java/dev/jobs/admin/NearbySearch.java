package dev.jobs.admin;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Searches for jobs at their last positions, regardless of the budget, and then around them until the budget is used
 * up, the nearest blocks of the list first. Each job found stands for one that was requested, so two equal jobs can
 * both be requested. Confined to one thread.
 */
final class NearbySearch {

    private static final int BLOCK = 100;

    private final BudgetedScan scan;
    private boolean over;
    private boolean partial;

    NearbySearch(ScanBudget budget) {
        this.scan = new BudgetedScan(budget);
    }

    /**
     * Searches a list. The jobs it returns are in no order.
     *
     * @param size jobs in the list
     * @param blocksBehind how many blocks behind its last position a job may be
     */
    List<ListedJob> look(BudgetedScan.Pages pages, long size, long blocksBehind, List<JobAddress> sought) {
        Part part = new Part(pages, size, sought);
        if (size > 0) {
            part.lookAtHome(sought);
            part.lookAround(sought, blocksBehind);
        }
        return part.found;
    }

    /** Notes that the list changed during the search, so that it may have missed a job. */
    void mayHaveMissed() {
        partial = true;
    }

    /** Whether it skipped a position at which a job may be. */
    boolean isPartial() {
        return partial;
    }

    /** The search of one list. */
    private final class Part {

        private final BudgetedScan.Pages pages;
        private final long size;
        private final Map<String, Integer> missing = new HashMap<>();
        private final List<ListedJob> found = new ArrayList<>();
        private final Set<Long> taken = new HashSet<>();

        Part(BudgetedScan.Pages pages, long size, List<JobAddress> sought) {
            this.pages = pages;
            this.size = size;
            sought.forEach(each -> missing.merge(each.digest(), 1, Integer::sum));
        }

        private long home(JobAddress address) {
            return Math.max(0, Math.min(address.index(), size - 1));
        }

        /** Reads from one last position to the next if they are near each other. */
        void lookAtHome(List<JobAddress> sought) {
            long[] homes =
                    sought.stream().mapToLong(this::home).sorted().distinct().toArray();
            for (int first = 0; first < homes.length; ) {
                int last = first;
                while (last + 1 < homes.length && homes[last + 1] - homes[first] < BLOCK) {
                    last++;
                }
                for (long at = homes[first]; at <= homes[last] && !missing.isEmpty(); ) {
                    int count = (int) Math.min(scan.fitting(), homes[last] + 1 - at);
                    if (!read(at, count)) {
                        break;
                    }
                    at += count;
                }
                first = last + 1;
            }
            over = !scan.lasts();
        }

        void lookAround(List<JobAddress> sought, long blocksBehind) {
            Set<Long> seen = new HashSet<>();
            boolean more = true;
            for (long distance = 0; more && !missing.isEmpty(); distance++) {
                more = false;
                for (JobAddress each : sought) {
                    long block = home(each) / BLOCK;
                    for (long near : new long[] {block - distance, block + distance}) {
                        boolean within = near >= 0 && near * BLOCK < size && near - block <= blocksBehind;
                        more |= within;
                        if (within && missing.containsKey(each.digest()) && seen.add(near) && !readBlock(near)) {
                            partial = true;
                            return;
                        }
                    }
                }
            }
        }

        /** Returns false if there is not enough time for the whole block. */
        private boolean readBlock(long block) {
            long end = Math.min(size, (block + 1) * BLOCK);
            for (long at = block * BLOCK; at < end && !missing.isEmpty(); ) {
                if (over) {
                    return false;
                }
                int count = scan.next((int) Math.min(scan.fitting(), end - at));
                boolean complete = read(at, count);
                over = !scan.lasts();
                if (!complete) {
                    return true; // the list has become shorter
                }
                at += count;
            }
            return true;
        }

        /** Returns whether there were that many jobs. */
        private boolean read(long from, int count) {
            List<JobRecord> jobs = pages.read(from, count);
            long at = from;
            long bytes = 0;
            for (JobRecord job : jobs) {
                bytes += job.size();
                String digest = missing.isEmpty() ? "" : job.digest();
                if (missing.containsKey(digest) && taken.add(at)) {
                    found.add(new ListedJob(job, at));
                    missing.computeIfPresent(digest, (key, left) -> left == 1 ? null : left - 1);
                }
                at++;
            }
            scan.took(jobs.size(), bytes);
            return jobs.size() == count;
        }
    }
}
