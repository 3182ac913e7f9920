package dev.jobs.admin;

import dev.jobs.assembly.JobsAdmin;
import java.util.List;

/**
 * Adds warnings to those of {@link JobsAdmin#warnings}, which the dashboard shows. A bean of this type is asked while
 * somebody looks at the overview, at most every ten seconds and never twice at once. The page waits two seconds for its
 * answer, and then shows what was found last. Called by any thread.
 */
@FunctionalInterface
public interface FindingSource {

    /**
     * The present problems, empty if there are none. An exception is logged, and the other warnings are shown.
     *
     * <p>The dashboard shows a {@link Finding#code code} of its own with its English message.
     */
    List<Finding> find();
}
