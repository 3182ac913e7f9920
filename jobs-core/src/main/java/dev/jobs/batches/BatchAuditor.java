package dev.jobs.batches;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchReader.Found;
import dev.jobs.batches.BatchSearch.Place;
import dev.jobs.batches.BatchStore.Correction;
import dev.jobs.redis.Bytes;
import dev.jobs.redis.CallBounds;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.redis.Replies;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what became of jobs that their batch takes for waiting or running although they are not: of those that Ruby
 * ran, or somebody deleted. Thread-safe; an audit is confined to one thread.
 *
 * <p>An audit looks for the jobs twice. Jobs that the first search missed are then <i>doubted</i>: their states get
 * other letters, which every effect on the job turns back. The second search goes through all places in the order in
 * which jobs move forward, so it finds each job that only moves forward; and a job that goes back, to a queue or to the
 * retry set, has an effect. Therefore a job that the second search misses, too, and that is still doubted
 * afterwards, is nowhere.
 *
 * <p>Ruby's workers make no effects, and show what they run only every ten seconds. Beside them the searches are
 * further apart than that.
 */
final class BatchAuditor {

    /** How far apart the two searches are if there are Ruby workers. */
    static final Duration BESIDE_RUBY = Duration.ofSeconds(12);

    /** How many entries of a queue, set or hash one call reads. */
    private static final int ENTRIES = 1_000;

    /** How many states one call changes. */
    private static final int DOUBTED_TOGETHER = 4_000;

    /** The states of doubted jobs: those of waiting and running ones in capital letters. */
    private static final String DOUBTED = "QWRV";

    private static final String NOT_FAILED = "qwQW";

    private final RedisConnection connection;
    private final RedisKeys keys;
    private final BatchKeys names;
    private final BatchReader reader;
    private final BatchStore store;
    private final BatchWatch watch;
    private final RubyNotes notes;
    private final int entries;

    BatchAuditor(RedisConnection connection, RedisKeys keys) {
        this(connection, keys, ENTRIES);
    }

    /** @param entries how many entries of a queue, set or hash one call reads */
    BatchAuditor(RedisConnection connection, RedisKeys keys, int entries) {
        this.entries = entries;
        this.connection = connection;
        this.keys = keys;
        this.names = new BatchKeys(keys);
        this.reader = new BatchReader(connection, keys);
        this.store = new BatchStore(connection, keys);
        this.watch = new BatchWatch(connection, keys);
        this.notes = new RubyNotes(connection, keys);
    }

    private static boolean contains(String letters, byte letter) {
        return letters.indexOf(letter) >= 0;
    }

    /** Begins an audit of a batch; empty if there is none with that id. */
    Optional<Audit> begin(String id) {
        return reader.find(id).map(found -> new Audit(id, found));
    }

    /** An audit under way. If it is given up, the next one begins anew. */
    final class Audit {

        private final String id;
        private final List<String> stagedQueues;
        private final BatchIndexes missing = new BatchIndexes();
        private final BatchIndexes notFailed = new BatchIndexes();
        private final BatchIndexes lostBefore = new BatchIndexes();
        private final BatchIndexes failed = new BatchIndexes();
        private final BatchIndexes back = new BatchIndexes();
        private final long checked;

        private BatchIndexes inDeadSet = new BatchIndexes();
        private BatchSearch search;
        private boolean second;
        private boolean noted;
        private @Nullable String movedAside;
        private @Nullable BatchAudit result;

        private Audit(String id, Found found) {
            this.id = id;
            this.stagedQueues = found.definition().stagedQueues();
            readStates(0);
            readStates(BatchJobId.FIRST_GROWN);
            found.status().callbacks().forEach((event, state) -> {
                long index = BatchJobId.FIRST_CALLBACK + event.ordinal() + 1;
                if (state.isPending()) {
                    missing.add(index);
                } else if (state == BatchJobState.LOST) {
                    lostBefore.add(index);
                }
            });
            this.checked = missing.size() + lostBefore.size();
            this.search = newSearch(false);
        }

        private void readStates(long first) {
            byte[] states;
            long from = first;
            do {
                states = reader.storedStates(id, from, BatchReader.SPAN);
                for (int i = 0; i < states.length; i++) {
                    if (contains("qwrv" + DOUBTED, states[i])) {
                        missing.add(from + i);
                        if (contains(NOT_FAILED, states[i])) {
                            notFailed.add(from + i);
                        }
                    } else if (states[i] == 'l') {
                        lostBefore.add(from + i);
                    }
                }
                from += states.length;
            } while (states.length == BatchReader.SPAN);
        }

        private BatchSearch newSearch(boolean thorough) {
            return new BatchSearch(connection, keys, id, stagedQueues, thorough, entries, this::found);
        }

        private void found(long index, Place place) {
            if (place == Place.DEAD) {
                if (missing.contains(index)) {
                    inDeadSet.add(index);
                }
                return;
            }
            missing.remove(index);
            if (lostBefore.contains(index)) {
                back.add(index);
            }
            if (place == Place.RETRY && notFailed.contains(index)) {
                failed.add(index);
            }
        }

        /**
         * Does the next step, a call or a few.
         *
         * @return how long to wait before the next one; null after the last
         */
        @Nullable Duration step() {
            if (result != null) {
                return null;
            }
            if (search.step()) {
                return Duration.ZERO;
            }
            if (!second && !missing.isEmpty()) {
                return beginSecondSearch();
            }
            if (!noted && notes.applySome() > 0) {
                return Duration.ZERO; // Ruby knows better what became of its jobs
            }
            noted = true;
            finish();
            return null;
        }

        private Duration beginSecondSearch() {
            doubt();
            second = true;
            boolean besideRuby = isBesideRuby();
            movedAside = movedAside();
            inDeadSet = new BatchIndexes();
            search = newSearch(true);
            return besideRuby ? BESIDE_RUBY : Duration.ZERO;
        }

        /** Whether processes are shown that don't beat: those of Ruby, and maybe dead ones of ours. */
        private boolean isBesideRuby() {
            Set<String> beating = new HashSet<>();
            connection
                    .run(commands -> commands.zrange(keys.beats(), 0, -1))
                    .forEach(member -> beating.add(Bytes.text(member)));
            return !beating.containsAll(Replies.allMembers(connection, keys.processes()));
        }

        /** How many suspects were moved from the front of a queue to its back, which has no effect on their batch. */
        private String movedAside() {
            byte[] count =
                    connection.<byte @Nullable []>run(commands -> commands.hget(keys.ledger(), Bytes.of("aside")));
            return count == null ? "" : Bytes.text(count);
        }

        private void doubt() {
            List<Long> some = new ArrayList<>();
            missing.forEach(index -> {
                if (!some.isEmpty() && !fitsWith(some.get(0), index)) {
                    doubt(some);
                    some.clear();
                }
                some.add(index);
            });
            doubt(some);
        }

        private boolean fitsWith(long first, long index) {
            return index - first < DOUBTED_TOGETHER
                    && isGrown(first) == isGrown(index)
                    && isCallback(first) == isCallback(index);
        }

        private void doubt(List<Long> indexes) {
            long first = indexes.get(0);
            List<byte[]> arguments = new ArrayList<>();
            if (isCallback(first)) {
                arguments.addAll(List.of(Bytes.of(0), Bytes.of("")));
                indexes.forEach(index -> arguments.add(Bytes.of(new BatchJobId(id, index).position())));
            } else {
                byte[] mask = new byte[(int) (indexes.get(indexes.size() - 1) - first + 1)];
                Arrays.fill(mask, (byte) '0');
                indexes.forEach(index -> mask[(int) (index - first)] = '1');
                arguments.addAll(List.of(Bytes.of(new BatchJobId(id, first).position()), mask));
            }
            connection.callForOne(
                    BatchScripts.DOUBT,
                    ScriptOutputType.INTEGER,
                    new byte[][] {names.states(id, isGrown(first)), names.batch(id)},
                    arguments.toArray(byte[][]::new));
        }

        private boolean isGrown(long index) {
            return new BatchJobId(id, index).isGrown();
        }

        private boolean isCallback(long index) {
            return new BatchJobId(id, index).isCallback();
        }

        private void finish() {
            long corrected = mark(failed, NOT_FAILED, "retried")
                    + mark(back, "l", "queue")
                    + watch.look(List.of(id)).stream()
                            .filter(BatchWatch.Watched::isNoted)
                            .count();
            long dead = 0;
            long lost = 0;
            if (second && search.isComplete() && movedAside().equals(movedAside)) {
                BatchIndexes nowhere = new BatchIndexes();
                BatchIndexes buried = new BatchIndexes();
                missing.forEach(index -> (inDeadSet.contains(index) ? buried : nowhere).add(index));
                dead = mark(buried, DOUBTED, "dead");
                lost = mark(nowhere, DOUBTED, "lost");
            }
            result = new BatchAudit(checked, lost, dead, corrected, missing.size() - lost - dead);
        }

        /** Returns how many were still in the expected states. */
        private long mark(BatchIndexes indexes, String expected, String outcome) {
            List<Correction> some = new ArrayList<>();
            long[] marked = {0};
            indexes.forEach(index -> {
                if (some.size() == CallBounds.JOBS
                        || !some.isEmpty() && isGrown(some.get(0).index()) != isGrown(index)) {
                    marked[0] += mark(some);
                    some.clear();
                }
                some.add(new Correction(index, expected, outcome, Report.NOTHING));
            });
            return marked[0] + mark(some);
        }

        private long mark(List<Correction> corrections) {
            return corrections.isEmpty()
                    ? 0
                    : store.mark(id, corrections).stream()
                            .filter(marked -> marked)
                            .count();
        }

        /** What it found, after the last step. */
        BatchAudit result() {
            if (result == null) {
                throw new IllegalStateException("The audit is not over");
            }
            return result;
        }
    }
}
