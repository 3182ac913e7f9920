package dev.jobs;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one feature wants to know of a {@link Job} method. There is one object for all methods, which {@link JobRules}
 * finds. Thread-safe.
 */
@Internal
public interface JobRule {

    /** The annotations of this feature, which have no effect on a method that is no job. */
    default List<Class<? extends Annotation>> annotations() {
        return List.of();
    }

    /**
     * The annotations with which this feature marks {@linkplain Companion companions} of jobs. They have no effect in a
     * class without jobs.
     */
    default List<Class<? extends Annotation>> companions() {
        return List.of();
    }

    /**
     * Adds members that the payloads of a job have, as its annotations say.
     *
     * @throws JobDefinitionException if that can't work
     */
    default void options(Map<String, Object> options, JobAnnotations annotations) {}

    /**
     * Reads and checks what a method says of this feature.
     *
     * @param job the name and the parameters, and what the rules before this one read
     * @return what {@link JobDefinition#rule} returns for its class; null if the method says nothing
     * @throws JobDefinitionException if that can't work
     */
    default @Nullable Object read(JobDefinition job, JobAnnotations annotations) {
        return null;
    }

    /** What the contract of the jobs says of one of them for this feature. */
    default List<ContractTerm> terms(JobDefinition job) {
        return List.of();
    }

    /**
     * What it means for jobs that wait if one of the terms is other than before, as sentences; null if nothing.
     *
     * @param word that of the term; may be one of another feature
     * @param before the former text; null if the contract says nothing, perhaps because a version before this feature
     *     wrote it
     * @param now the present text; null if there is none. Never the same
     */
    default @Nullable String changed(String word, @Nullable String before, @Nullable String now) {
        return null;
    }

    /** Whether the worker runs the method in pieces, so that an execution goes on where the one before ended. */
    default boolean isIterable(Method method) {
        return false;
    }

    /**
     * Its Lua that scripts of earlier rooms contain, such as a kind of effect: files in the folder of this class,
     * without their ending. Behind each one, with blanks between them, the names of those others that it needs.
     */
    default List<String> lua() {
        return List.of();
    }

    /** Members of payloads that are digests of arguments, if the job has this rule. */
    default Set<String> digests() {
        return Set.of();
    }
}
