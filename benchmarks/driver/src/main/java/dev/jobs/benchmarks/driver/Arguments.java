package dev.jobs.benchmarks.driver;

import java.io.Serializable;

/**
 * The arguments of every job: a text, a number and an object, as most jobs of applications have them.
 *
 * @param text fills the arguments up to their size
 * @param number of a timed job, otherwise {@link #NOT_TIMED}
 */
public record Arguments(String text, long number, Order order) implements Serializable {

    public static final long NOT_TIMED = -1;

    /** The size of the arguments of jobs in most measurements, in bytes. */
    public static final int STANDARD = 100;

    private static final long serialVersionUID = 1;
    private static final String WORDS = "the quick brown fox jumps over the lazy dog ";

    /** An object with members of several types. */
    public record Order(String customer, double total, boolean urgent) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /**
     * Arguments of this size for a job that is not timed.
     *
     * @param bytes of their array in JSON; fewer than the object needs means an empty text
     */
    public static Arguments ofSize(int bytes) {
        Arguments empty = new Arguments("", NOT_TIMED, new Order("Bob", 12.5, true));
        int length = Math.max(0, bytes - empty.json().length());
        return new Arguments(WORDS.repeat(length / WORDS.length() + 1).substring(0, length), NOT_TIMED, empty.order());
    }

    /** The same arguments for a timed job. */
    public Arguments numbered(long id) {
        return new Arguments(text, id, order);
    }

    /** Their array in JSON, in the form that all libraries under test give it. */
    public String json() {
        return "[\"" + text + "\"," + number + ",{\"customer\":\"" + order.customer() + "\",\"total\":" + order.total()
                + ",\"urgent\":" + order.urgent() + "}]";
    }
}
