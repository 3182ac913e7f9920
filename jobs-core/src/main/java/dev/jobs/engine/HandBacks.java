package dev.jobs.engine;

import dev.jobs.engine.JobEffects.GoesBack;
import dev.jobs.engine.JobEffects.Part;
import dev.jobs.store.Effect;
import dev.jobs.store.Settlement;
import java.util.ArrayList;
import java.util.List;

/** The settlements of jobs that go back to their queues without having ended. Thread-safe. */
record HandBacks(JobEffects effects, List<Part> parts) {

    /** Of a job that had been started. */
    Settlement started(ClaimedJob job) {
        return settlement(job, true);
    }

    /** Of a job that has not begun. */
    Settlement unstarted(ClaimedJob job) {
        Settlement back = settlement(job, false);
        if (isHeardOf(job)) { // it has them already
            return back;
        }
        List<Effect> first = new ArrayList<>();
        for (Part part : parts) {
            part.unstarted(first, job);
        }
        if (first.isEmpty()) {
            return back;
        }
        first.addAll(back.effects());
        return back.with(first);
    }

    private Settlement settlement(ClaimedJob job, boolean started) {
        Settlement settlement = Settlement.handedBack(job.token(), job.queue(), started);
        GoesBack otherwise = job.part(GoesBack.class);
        if (otherwise != null) {
            settlement = settlement.with(otherwise.as().apply(job.payload()).bytes());
        }
        if (isHeardOf(job)) {
            return effects.ended(settlement, job, null);
        }
        List<Effect> own = new ArrayList<>(effects.parked(job));
        for (Part part : parts) {
            part.handedBack(own, job);
        }
        return own.isEmpty() ? settlement : settlement.with(own);
    }

    private boolean isHeardOf(ClaimedJob job) {
        for (Part part : parts) {
            if (part.hearsOfHandingBack(job)) {
                return true;
            }
        }
        return false;
    }
}
