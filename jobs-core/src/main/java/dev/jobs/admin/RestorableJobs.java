package dev.jobs.admin;

import dev.jobs.Internal;
import dev.jobs.store.StoredSet;
import java.util.List;

/** Where deleted jobs go if they may be restored. */
@Internal
public interface RestorableJobs {

    /**
     * What a deletion did.
     *
     * @param results one for each job: 1 if it was deleted, 0 if it was gone, -1 if it stays, since it can't be kept
     * @param kept how many more jobs of the batch can be restored; negative if they are fewer
     */
    record Deleted(List<Integer> results, long kept) {}

    /** @throws IllegalArgumentException if a batch can't have that name */
    void checkName(String batch);

    /**
     * Deletes jobs of a set.
     *
     * @param batch a name for everything that is restored together
     */
    Deleted delete(StoredSet set, List<byte[]> jobs, String batch);
}
