package dev.jobs.spring.checkpoint;

/** Something that is told of a checkpoint. */
public interface Resource {

    void beforeCheckpoint(Context context) throws Exception;

    void afterRestore(Context context) throws Exception;
}
