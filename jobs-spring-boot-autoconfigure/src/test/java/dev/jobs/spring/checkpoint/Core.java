package dev.jobs.spring.checkpoint;

/** Has a checkpoint that ends at once. */
public final class Core {

    private static final Context CONTEXT = new Context();

    private Core() {}

    public static Context getGlobalContext() {
        return CONTEXT;
    }

    public static void checkpointRestore() throws Exception {
        CONTEXT.run(CheckpointedApplication::lookAround);
    }
}
