package dev.jobs.engine;

import dev.jobs.Internal;
import dev.jobs.JobsException;
import dev.jobs.WithoutArguments;
import dev.jobs.codec.OneLine;
import org.jspecify.annotations.Nullable;

/** A payload names a job that this application doesn't know. */
@Internal
public final class UnknownJobException extends JobsException implements WithoutArguments {

    private static final long serialVersionUID = 1L;

    UnknownJobException(@Nullable String name, String jid) {
        super("No @Job method of this application has the name '" + OneLine.of(name) + "' (jid "
                + OneLine.of(jid)
                + "). It is retried, so that an application that "
                + "has it can take over; add the method, or the name as an alias, or serve its queue elsewhere");
    }
}
