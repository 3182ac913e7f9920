package dev.jobs.lists;

import dev.jobs.Internal;
import dev.jobs.Payload;
import dev.jobs.store.Effect;
import java.util.List;

/** The effects that one feature adds to moves of jobs that wait, by people or because they are due. */
@Internal
public interface MoveEffects {

    /** For a job that stays in its set with other bytes. */
    default List<Effect> rewritten(Payload job, byte[] stored) {
        return List.of();
    }

    /** For a dead job that goes to its queue. */
    default List<Effect> revived(Payload job) {
        return List.of();
    }
}
