package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.store.Effect;
import dev.jobs.store.EffectSource;
import dev.jobs.store.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Collects what features change in the step in which a job ends or moves. Thread-safe. */
@Internal
public final class JobEffects {

    private final List<Part> parts;
    private final EffectSource moved;
    private final EffectSource all;

    /** What a feature changes with the end of a job that was claimed here. Called on any thread. Thread-safe. */
    @FunctionalInterface
    @Internal
    public interface Part {

        /**
         * It ended.
         *
         * @param all gets the effects
         * @param outcome null if the job was handed back, and a part hears of that as of an end
         */
        void ended(List<Effect> all, ClaimedJob job, @Nullable Outcome outcome);

        /** It goes back without having ended here. */
        default void handedBack(List<Effect> all, ClaimedJob job) {}

        /** Whether this part has to hear of that as of an end, so that all others do so, too. */
        default boolean hearsOfHandingBack(ClaimedJob job) {
            return false;
        }
    }

    /** Attached to a job that goes back otherwise than it was claimed. */
    public record GoesBack(UnaryOperator<Payload> as) {}

    /**
     * @param parts in the order of their effects
     * @param moved supplies the effects of jobs that go back without having run
     * @param all supplies all effects of jobs that move without having run here
     */
    public JobEffects(List<Part> parts, EffectSource moved, EffectSource all) {
        this.parts = List.copyOf(parts);
        this.moved = moved;
        this.all = all;
    }

    /** The settlement of a job that ran here; without an outcome if it is handed back. */
    Settlement ended(Settlement settlement, ClaimedJob job, @Nullable Outcome outcome) {
        List<Effect> effects = new ArrayList<>(settlement.effects());
        for (Part part : parts) {
            part.ended(effects, job, outcome);
        }
        return effects.isEmpty() ? settlement : settlement.with(effects);
    }

    /** The settlement of a job that goes back to its queue, although it had been started. */
    Settlement handedBack(ClaimedJob job) {
        return goingBack(job, true);
    }

    /** The settlement of a job that goes back to its queue without having begun. */
    Settlement unstarted(ClaimedJob job) {
        return goingBack(job, false);
    }

    private Settlement goingBack(ClaimedJob job, boolean started) {
        Settlement settlement = Settlement.handedBack(job.token(), job.queue(), started);
        GoesBack otherwise = job.part(GoesBack.class);
        if (otherwise != null) {
            settlement = settlement.with(otherwise.as().apply(job.payload()).bytes());
        }
        if (hearsOfHandingBack(job)) {
            return ended(settlement, job, null);
        }
        List<Effect> own = new ArrayList<>(moved.of(job.stored()));
        for (Part part : parts) {
            part.handedBack(own, job);
        }
        return own.isEmpty() ? settlement : settlement.with(own);
    }

    private boolean hearsOfHandingBack(ClaimedJob job) {
        for (Part part : parts) {
            if (part.hearsOfHandingBack(job)) {
                return true;
            }
        }
        return false;
    }

    /** The effects of a job that goes back without having run, to wait in Redis. */
    public List<Effect> parked(ClaimedJob job) {
        return moved.of(job.stored());
    }

    /** Supplies all effects of jobs that move without having run here. */
    public EffectSource all() {
        return all;
    }
}
