package dev.jobs.faults;

import java.util.function.Predicate;

/**
 * A point in the life of jobs and workers at which a worker is killed: right before a step reaches Redis, when half of
 * its command has, or right after Redis executed it and before the worker knows. Between two steps a worker changes
 * only its own memory.
 */
enum CrashPoint {
    BEFORE_REGISTERING(Work.NOTHING, command -> command.runs("beat"), Side.COMMAND, 0, 0),
    AFTER_REGISTERING(Work.NOTHING, command -> command.runs("beat"), Side.ANSWER, 0, 0),
    BEFORE_BEING_SHOWN(Work.NOTHING, command -> command.runs("process"), Side.COMMAND, 0, 0),
    AFTER_BEING_SHOWN(Work.NOTHING, command -> command.runs("process"), Side.ANSWER, 0, 0),
    BEFORE_BEING_ON_CALL(Work.NOTHING, command -> command.runs("on_call"), Side.COMMAND, 0, 0),
    AFTER_BEING_ON_CALL(Work.NOTHING, command -> command.runs("on_call"), Side.ANSWER, 0, 0),
    BEFORE_COUNTING_EXECUTIONS(Work.ONE_JOB, command -> command.runs("metrics"), Side.COMMAND, 0, 0),
    AFTER_COUNTING_EXECUTIONS(Work.ONE_JOB, command -> command.runs("metrics"), Side.ANSWER, 0, 0),
    BEFORE_A_CLAIM(Work.ONE_JOB, Command::claims, Side.COMMAND, 0, 0),
    AFTER_A_CLAIM(Work.ONE_JOB, Command::claims, Side.ANSWER, 1, 0),
    BEFORE_AN_ACK(Work.ONE_JOB, Command::settles, Side.COMMAND, 1, 1),
    IN_THE_MIDDLE_OF_AN_ACK(Work.ONE_JOB, Command::settles, Side.HALF_A_COMMAND, 1, 1),
    AFTER_AN_ACK(Work.ONE_JOB, Command::settles, Side.ANSWER, 0, 0),
    BEFORE_A_RETRY(Work.ONE_FAILING, Command::settles, Side.COMMAND, 1, 1),
    AFTER_A_RETRY(Work.ONE_FAILING, Command::settles, Side.ANSWER, 0, 0),
    BEFORE_A_FLUSH(Work.ONE_FAILING_ITERATION, command -> command.runs("flush"), Side.COMMAND, 1, 1),
    AFTER_A_FLUSH(Work.ONE_FAILING_ITERATION, command -> command.runs("flush"), Side.ANSWER, 1, 1),
    BEFORE_AN_ITERATION_ENDS(Work.ONE_ITERATION, Command::settles, Side.COMMAND, 1, 1),
    AFTER_AN_ITERATION_ENDS(Work.ONE_ITERATION, Command::settles, Side.ANSWER, 0, 0),
    BEFORE_A_UNIQUE_JOB_BEGINS(Work.ONE_UNIQUE, command -> command.runs("begin"), Side.COMMAND, 1, 0),
    AFTER_A_UNIQUE_JOB_BEGINS(Work.ONE_UNIQUE, command -> command.runs("begin"), Side.ANSWER, 1, 0),
    BEFORE_A_UNIQUE_JOB_ENDS(Work.ONE_UNIQUE, Command::settles, Side.COMMAND, 1, 1),
    AFTER_A_UNIQUE_JOB_ENDS(Work.ONE_UNIQUE, Command::settles, Side.ANSWER, 0, 0),
    BEFORE_AN_EXPIRING_JOB_BEGINS(Work.ONE_EXPIRING, command -> command.runs("in_time"), Side.COMMAND, 1, 0),
    AFTER_AN_EXPIRING_JOB_BEGINS(Work.ONE_EXPIRING, command -> command.runs("in_time"), Side.ANSWER, 1, 0),
    BEFORE_A_TIMEOUT_IS_SETTLED(Work.ONE_TIMED_OUT, Command::settles, Side.COMMAND, 1, 1),
    AFTER_A_TIMEOUT_IS_SETTLED(Work.ONE_TIMED_OUT, Command::settles, Side.ANSWER, 0, 0),
    BEFORE_AN_ADMISSION(Work.TWO_WITH_ONE_PERMIT, command -> command.runs("admit"), Side.COMMAND, 2, 0),
    AFTER_AN_ADMISSION(Work.TWO_WITH_ONE_PERMIT, command -> command.runs("admit"), Side.ANSWER, 1, 0),
    BEFORE_A_PERMIT_IS_HANDED_OVER(Work.TWO_WITH_ONE_PERMIT, Command::settles, Side.COMMAND, 1, 1),
    AFTER_A_PERMIT_IS_HANDED_OVER(Work.TWO_WITH_ONE_PERMIT, Command::settles, Side.ANSWER, 1, 0),
    AFTER_A_CLAIM_FROM_A_FULL_QUEUE(Work.TWO_OF_A_LIMITED_QUEUE, Command::claims, Side.ANSWER, 1, 0),
    BEFORE_A_FULL_QUEUE_HAS_ROOM(Work.TWO_OF_A_LIMITED_QUEUE, Command::settles, Side.COMMAND, 1, 1),
    AFTER_A_FULL_QUEUE_HAS_ROOM(Work.TWO_OF_A_LIMITED_QUEUE, Command::settles, Side.ANSWER, 1, 0),
    BEFORE_A_PARKED_JOB_GOES_ON(Work.ONE_PARKED, command -> command.runs("wake"), Side.COMMAND, 0, 0),
    AFTER_A_PARKED_JOB_GOES_ON(Work.ONE_PARKED, command -> command.runs("wake"), Side.ANSWER, 0, 0),
    BEFORE_A_SWEEP_OF_PARKED_JOBS(Work.ONE_SWEPT, command -> command.runs("parked_sweep"), Side.COMMAND, 0, 0),
    AFTER_A_SWEEP_OF_PARKED_JOBS(Work.ONE_SWEPT, command -> command.runs("parked_sweep"), Side.ANSWER, 0, 0),
    BEFORE_A_CLAIM_IN_TURN(Work.ONE_IN_TURN, Command::claims, Side.COMMAND, 0, 0),
    AFTER_A_CLAIM_IN_TURN(Work.ONE_IN_TURN, Command::claims, Side.ANSWER, 1, 0),
    BEFORE_A_PUSH_IN_TURN(Work.ONE_THAT_PUSHES, command -> command.runs("push_sorted"), Side.COMMAND, 1, 1),
    AFTER_A_PUSH_IN_TURN(Work.ONE_THAT_PUSHES, command -> command.runs("push_sorted"), Side.ANSWER, 1, 1),
    BEFORE_A_CANCELLATION(Work.ONE_THAT_CANCELS, command -> command.runs("cancel"), Side.COMMAND, 1, 1),
    AFTER_A_CANCELLATION(Work.ONE_THAT_CANCELS, command -> command.runs("cancel"), Side.ANSWER, 1, 1),
    BEFORE_PROGRESS_IS_NOTED(Work.ONE_WITH_PROGRESS, command -> command.runs("note"), Side.COMMAND, 1, 1),
    AFTER_PROGRESS_IS_NOTED(Work.ONE_WITH_PROGRESS, command -> command.runs("note"), Side.ANSWER, 1, 1),
    BEFORE_A_LOOK_FOR_DUE_JOBS(Work.ONE_SCHEDULED, command -> command.runs("due"), Side.COMMAND, 0, 0),
    AFTER_A_LOOK_FOR_DUE_JOBS(Work.ONE_SCHEDULED, command -> command.runs("due"), Side.ANSWER, 0, 0),
    BEFORE_A_PROMOTION(Work.ONE_SCHEDULED, command -> command.runs("move"), Side.COMMAND, 0, 0),
    AFTER_A_PROMOTION(Work.ONE_SCHEDULED, command -> command.runs("move"), Side.ANSWER, 0, 0),
    BEFORE_A_RECURRING_JOB_IS_FIRED(Work.ONE_DELAYED, command -> command.runs("recurring_fire"), Side.COMMAND, 0, 0),
    AFTER_A_RECURRING_JOB_IS_FIRED(Work.ONE_DELAYED, command -> command.runs("recurring_fire"), Side.ANSWER, 0, 0),
    BEFORE_A_DELAY_BEGINS(Work.A_DELAY, command -> command.runs("recurring_due"), Side.COMMAND, 0, 0),
    AFTER_A_DELAY_BEGINS(Work.A_DELAY, command -> command.runs("recurring_due"), Side.ANSWER, 0, 0),
    BEFORE_SLOTS_PASS(Work.A_PAUSE, command -> command.runs("recurring_pass"), Side.COMMAND, 0, 0),
    AFTER_SLOTS_PASS(Work.A_PAUSE, command -> command.runs("recurring_pass"), Side.ANSWER, 0, 0),
    BEFORE_A_REAP(Work.ORPHANS, command -> command.runs("reap"), Side.COMMAND, Work.THREADS, Work.THREADS),
    AFTER_THE_FIRST_REAP(Work.ORPHANS, command -> command.runs("reap"), Side.ANSWER, Work.THREADS, Work.THREADS),
    BEFORE_A_BATCH_ENDS(Work.A_BATCH, command -> command.runs("batch_finish"), Side.COMMAND, 0, 0),
    AFTER_A_BATCH_ENDS(Work.A_BATCH, command -> command.runs("batch_finish"), Side.ANSWER, 0, 0),
    BEFORE_A_HAND_BACK(Work.A_STOP, Command::settles, Side.COMMAND, 1, 1),
    AFTER_A_HAND_BACK(Work.A_STOP, Command::settles, Side.ANSWER, 0, 1),
    BEFORE_LEAVING(Work.A_STOP, command -> command.runs("leave"), Side.COMMAND, 0, 1),
    AFTER_LEAVING(Work.A_STOP, command -> command.runs("leave"), Side.ANSWER, 0, 1);

    /** The work that leads to the point. */
    enum Work {
        NOTHING,
        ONE_JOB,
        ONE_FAILING,
        ONE_ITERATION,
        ONE_FAILING_ITERATION,
        ONE_SCHEDULED,
        /** A job that may be replaced until it begins. */
        ONE_UNIQUE,
        /** A job that expires, unless a worker begins it in time. */
        ONE_EXPIRING,
        /** A job that is interrupted at its timeout in its first attempt. */
        ONE_TIMED_OUT,
        /** Two jobs of one key, of which one may run at once. */
        TWO_WITH_ONE_PERMIT,
        /** Two jobs of a queue, of which one may run at once. */
        TWO_OF_A_LIMITED_QUEUE,
        /** A job that is parked at a limit with a free permit. */
        ONE_PARKED,
        /** The same, which only a look at all limits finds. */
        ONE_SWEPT,
        /** A job of an ordered queue. */
        ONE_IN_TURN,
        /** A job that enqueues another one to an ordered queue, which only other workers serve. */
        ONE_THAT_PUSHES,
        /** A job that cancels another one, which is due later. */
        ONE_THAT_CANCELS,
        /** A job that reports its progress and runs until its worker was killed. */
        ONE_WITH_PROGRESS,
        /** A recurring job with a fixed delay is due. */
        ONE_DELAYED,
        /** The same, and when it is due is unknown. */
        A_DELAY,
        /** A recurring job that makes up for missed slots is paused. */
        A_PAUSE,
        /** Another worker dies with more jobs than fit into one step of reaping. */
        ORPHANS,
        /** The job of a batch ends; another worker serves the queue of the batch's callback. */
        A_BATCH,
        /** The worker is asked to stop while a job runs that doesn't end in time. */
        A_STOP;

        /** The number of jobs that the worker of {@link #ORPHANS} holds. */
        static final int THREADS = 150;
    }

    private enum Side {
        COMMAND,
        HALF_A_COMMAND,
        ANSWER
    }

    final Work work;

    /** The number of jobs recovered afterwards. */
    final int recovered;

    /** The number of executions repeated because of it, or because of the stop that it interrupts. */
    final int duplicates;

    private final Predicate<Command> step;
    private final Side side;

    CrashPoint(Work work, Predicate<Command> step, Side side, int recovered, int duplicates) {
        this.work = work;
        this.step = step;
        this.side = side;
        this.recovered = recovered;
        this.duplicates = duplicates;
    }

    /** Whether a job ends or moves at this point. */
    boolean isAtAnEnd() {
        return switch (this) {
            case BEFORE_AN_ACK,
                    IN_THE_MIDDLE_OF_AN_ACK,
                    AFTER_AN_ACK,
                    AFTER_A_RETRY,
                    BEFORE_AN_ITERATION_ENDS,
                    AFTER_AN_ITERATION_ENDS,
                    AFTER_A_PERMIT_IS_HANDED_OVER,
                    AFTER_A_FULL_QUEUE_HAS_ROOM,
                    AFTER_THE_FIRST_REAP,
                    AFTER_A_HAND_BACK -> true;
            default -> false;
        };
    }

    /** Runs the crash when the point is first reached; after that nothing passes. */
    Fault then(Runnable crash) {
        return new Fault() {
            private boolean crashed;
            private boolean settled;

            @Override
            public Delivery command(Command command) {
                boolean half = side == Side.HALF_A_COMMAND;
                return reached((half || side == Side.COMMAND) && isHere(command), half);
            }

            @Override
            public Delivery answer(Command command) {
                boolean here = side == Side.ANSWER && isHere(command);
                noteSettled(command);
                return reached(here, false);
            }

            private synchronized void noteSettled(Command command) {
                settled |= command.settles();
            }

            /** Workers look at batches whose jobs haven't ended, too. */
            private synchronized boolean isHere(Command command) {
                return step.test(command) && (work != Work.A_BATCH || settled);
            }

            private synchronized Delivery reached(boolean here, boolean half) {
                if (here && !crashed) {
                    crashed = true;
                    crash.run();
                    return half ? Delivery.TORN : Delivery.MUTE;
                }
                return crashed ? Delivery.MUTE : Delivery.PASS;
            }
        };
    }
}
