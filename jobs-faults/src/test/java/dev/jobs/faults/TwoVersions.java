package dev.jobs.faults;

import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobParam;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The jobs of two versions of an application: one is renamed, one gets a parameter, one loses its last. All values of a
 * job follow from its number, so a value that nobody gave is noticed.
 */
final class TwoVersions {

    private static final int DECLARED = 7;

    private TwoVersions() {}

    /**
     * A job as one of the versions enqueues it.
     *
     * @param mayRunWith what {@link RanWith} may say of its executions
     */
    record Call(String name, List<Object> arguments, Set<String> mayRunWith) {

        /** The job of this number by the first version or the second. */
        static Call of(boolean second, int number) {
            return switch (number % 3) {
                case 0 ->
                    second
                            ? new Call("Mail.deliver", List.of(number), Set.of("deliver " + number))
                            : new Call("Mail.send", List.of(number), Set.of("send " + number, "deliver " + number));
                case 1 ->
                    second
                            ? new Call(
                                    "Grows",
                                    List.of(number, number + 1),
                                    Set.of("grows " + number + " " + (number + 1)))
                            : new Call(
                                    "Grows",
                                    List.of(number),
                                    Set.of("grows " + number, "grows " + number + " " + DECLARED));
                default ->
                    second
                            ? new Call("Shrinks", List.of(number), Set.of("shrinks " + number))
                            : new Call(
                                    "Shrinks",
                                    List.of(number, "x" + number),
                                    Set.of("shrinks " + number, "shrinks " + number + " x" + number));
            };
        }
    }

    /** The first version. */
    static final class One {

        private final RanWith record;

        One(RanWith record) {
            this.record = record;
        }

        @Job("Mail.send")
        void send(long number, JobContext job) throws InterruptedException {
            record.note(job, "send", number);
            work(number);
        }

        @Job("Grows")
        void grows(long number, JobContext job) throws InterruptedException {
            record.note(job, "grows", number);
            work(number);
        }

        @Job("Shrinks")
        void shrinks(long number, String extra, JobContext job) throws InterruptedException {
            record.note(job, "shrinks", number, extra);
            work(number);
        }
    }

    /** The second version. */
    static final class Two {

        private final RanWith record;

        Two(RanWith record) {
            this.record = record;
        }

        @Job(value = "Mail.deliver", aliases = "Mail.send")
        void deliver(long number, JobContext job) throws InterruptedException {
            record.note(job, "deliver", number);
            work(number);
        }

        @Job("Grows")
        void grows(long number, @JobParam(defaultValue = "" + DECLARED) int priority, JobContext job)
                throws InterruptedException {
            record.note(job, "grows", number, priority);
            work(number);
        }

        @Job(value = "Shrinks", ignoredArguments = 1)
        void shrinks(long number, JobContext job) throws InterruptedException {
            record.note(job, "shrinks", number);
            work(number);
        }
    }

    /** Takes 20 to 120 ms, so that kills hit running jobs. */
    private static void work(long number) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(20 + new Random(number).nextInt(100));
    }
}
