package dev.jobs.outbox;

import dev.jobs.InvalidJobException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the relay of an application looks that has one, behind a DataSource that can't be asked for its databases and may
 * choose among several: jobs that are written elsewhere would wait for ever. Thread-safe.
 */
final class RelayedDatabase {

    private static final Logger log = LoggerFactory.getLogger(RelayedDatabase.class);

    private static final String REMEDY =
            "Let the DataSource be an AbstractRoutingDataSource that has all its databases, or mark that of the jobs with "
                    + "@JobsDataSource";

    /** Addresses of the relay's database. Others may lead there as well. */
    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** What was written before the relay got anywhere: sources by their addresses, empty for none. Guarded by this. */
    private final Map<String, String> early = new HashMap<>();

    /** Of the relay's database; null until the relay has got there. Guarded by this. */
    private @Nullable String source;

    /** The relay has got to its database, through this table. */
    void reached(OutboxTable table) {
        String reached = Objects.requireNonNull(table.source());
        known.add(table.address());
        tellOfEarly(reached);
    }

    private synchronized void tellOfEarly(String reached) {
        source = reached;
        early.forEach((address, written) -> {
            if (known.contains(address) || written.equals(reached)) {
                return;
            }
            if (written.isEmpty()) {
                log.warn(
                        "Jobs may wait in the outbox of {}: they were written before a relay of this application had got "
                                + "to its database, and the next one will tell whether this is it. {}",
                        address,
                        REMEDY);
            } else {
                log.error(
                        "Jobs wait in the outbox of {}, and no relay of this application looks there. {}",
                        address,
                        REMEDY);
            }
        });
        early.clear();
    }

    /**
     * Called with each job, in the calling thread's transaction.
     *
     * @throws InvalidJobException if the relay looks at another database than that of the transaction
     */
    void check(OutboxTable table) {
        String address = table.address();
        if (known.contains(address)) {
            return;
        }
        String written = Objects.requireNonNullElse(table.source(), "");
        String reached = reachedOrEarly(address, written);
        if (reached == null) {
            return;
        }
        if (written.isEmpty()) { // the relay may have got here since
            written = Objects.requireNonNullElse(table.source(), "");
        }
        if (!reached.equals(written)) {
            throw new InvalidJobException("Jobs can't be kept in the outbox of " + address
                    + ", since no relay of this application looks there: they would never run. " + REMEDY
                    + ". jobs.now() doesn't use the outbox");
        }
        known.add(address);
    }

    /** In one step: what is noted once the relay has got there would be told to nobody. */
    private synchronized @Nullable String reachedOrEarly(String address, String written) {
        if (source == null) {
            early.put(address, written);
        }
        return source;
    }
}
