package dev.jobs.spring.autoconfigure.unique;

import dev.jobs.ArgumentMasking;
import dev.jobs.Internal;
import dev.jobs.admin.Found;
import dev.jobs.admin.ScanBudget;
import dev.jobs.spring.autoconfigure.operations.Answer;
import dev.jobs.spring.autoconfigure.operations.Section;
import dev.jobs.unique.HeldLock;
import dev.jobs.unique.LocksAdmin;
import java.time.Duration;
import java.util.List;

/** Locks in the endpoint. */
@Internal
public final class LockSection implements Section {

    private static final ScanBudget LISTED = new ScanBudget(1_000, Duration.ofMillis(250));

    private final LocksAdmin locks;
    private final ArgumentMasking masking;

    /**
     * The locks of unique jobs, in no order.
     *
     * @param partial whether there may be more of them
     */
    public record LockList(List<HeldLock> locks, boolean partial) {

        /** @param masked whether their digests would tell of masked arguments */
        static LockList of(Found<HeldLock> found, boolean masked) {
            return new LockList(
                    masked
                            ? found.items().stream()
                                    .map(each -> new HeldLock(ArgumentMasking.HIDDEN, each.holder(), each.left()))
                                    .toList()
                            : found.items(),
                    found.partial());
        }
    }

    public LockSection(LocksAdmin locks, ArgumentMasking masking) {
        this.locks = locks;
        this.masking = masking;
    }

    @Override
    public String name() {
        return "locks";
    }

    @Override
    public boolean isList() {
        return true;
    }

    @Override
    public Answer list(boolean unfinished, long from) {
        return Answer.found(LockList.of(locks.all(LISTED), masking.mayHideKeys()));
    }
}
