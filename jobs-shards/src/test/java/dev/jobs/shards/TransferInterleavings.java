package dev.jobs.shards;

import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.Bytes;
import dev.jobs.redis.RedisConnection;
import dev.jobs.redis.RedisKeys;
import dev.jobs.shards.TransferSlice.Entry;
import dev.jobs.shards.TransferSlice.Place;
import dev.jobs.shards.TransferSource.Status;
import dev.jobs.shards.TransferSource.Taken;
import dev.jobs.shards.TransferTarget.Answer;
import dev.jobs.store.ActorInterleavings;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims.Claimed;
import dev.jobs.store.JobClaims.Request;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StateSpace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Processes that transfer a queue, one that abandons the transfer, and workers of both shards, which take their steps
 * in any order. A process that dies takes no more steps, and one that was frozen takes the next one late.
 *
 * <p>What a process knows: the slice that it has to deliver, as NUMBER:MARK and the jobs; then what the target said.
 */
public final class TransferInterleavings extends ActorInterleavings {

    static final String TARGET = "b:";
    private static final String QUEUE = "mail";
    private static final String ID = "t";
    private static final List<String> JOBS = List.of("j1", "j2", "j3");

    private final RedisConnection targetConnection;
    private final RedisKeys targetKeys = new RedisKeys(TARGET);
    private final TransferSource source;
    private final TransferTarget target;
    private final ScriptTestBed there;

    TransferInterleavings(ScriptTestBed bed, ScriptTestBed there, StateSpace space, Map<String, List<String>> actors) {
        super(bed, space, actors);
        this.there = there;
        this.targetConnection = there.connection;
        this.source = new TransferSource(bed.connection, bed.keys, QUEUE);
        this.target = new TransferTarget(targetConnection, targetKeys, QUEUE);
    }

    State start() {
        bed.clear();
        bed.push(QUEUE, JOBS.toArray(String[]::new));
        target.expect(ID);
        assertThat(source.start(ID, "b", Instant.EPOCH)).isEqualTo(ID);
        actors.keySet().stream().filter(who -> who.startsWith("there")).forEach(who -> there.worker(who)
                .join());
        actors.keySet().stream().filter(who -> who.startsWith("here")).forEach(who -> bed.worker(who)
                .join());
        return begin();
    }

    @Override
    public String run(Call call) {
        String[] words = call.what().split(" ");
        return switch (words[0]) {
            case "take" -> take(call);
            case "store" -> answered(call.known(), false);
            case "refuse" -> answered(call.known(), true);
            case "settle" -> settle(call.known());
            case "close" -> {
                source.close(ID);
                yield call.known();
            }
            case "work" -> work(call, call.who().startsWith("there") ? there : bed);
            default -> throw new IllegalArgumentException(call.what());
        };
    }

    /** Takes the oldest job, or finds the slice that is there. */
    private String take(Call call) {
        Taken looked = source.look(ID);
        seen.add(looked.status().name());
        if (looked.status() == Status.CLOSED) {
            return "";
        }
        Taken taken = looked;
        if (looked.slice() == null && !call.what().endsWith("nothing")) {
            List<byte[]> one = source.read(Place.QUEUE, 0).stream()
                    .limit(1)
                    .map(Entry::payload)
                    .toList();
            taken = source.take(
                    ID,
                    looked.last() + 1,
                    call.who(),
                    Place.QUEUE,
                    0,
                    Instant.EPOCH,
                    one,
                    one.stream().map(each -> "").toList());
            seen.add(taken.status().name());
        }
        TransferSlice slice = taken.slice();
        return slice == null
                ? ""
                : slice.name() + " "
                        + slice.jobs().stream().map(job -> text(job.payload())).collect(Collectors.joining(","));
    }

    private static TransferSlice slice(String known) {
        String[] parts = known.split(" ");
        String[] name = parts[0].split(":");
        return new TransferSlice(
                Long.parseLong(name[0]),
                name[1],
                Stream.of(parts[1].split(","))
                        .map(job -> new Entry(Place.QUEUE, "", Bytes.of(job)))
                        .toList());
    }

    private String answered(String known, boolean refuse) {
        if (known.isEmpty()) {
            return "";
        }
        TransferSlice slice = slice(known);
        Answer answer = refuse ? target.refuse(ID, slice) : target.store(ID, slice);
        seen.add((refuse ? "refuse " : "store ") + answer);
        return known + " " + answer;
    }

    private String settle(String known) {
        if (known.isEmpty()) {
            return "";
        }
        switch (Answer.valueOf(known.split(" ")[2])) {
            case STORED -> seen.add("settled " + source.settle(ID, slice(known)));
            case VOID -> seen.add("given back " + source.giveBack(ID, slice(known)));
            default -> {}
        }
        return "";
    }

    /** Settles what it holds and claims another job. */
    private static String work(Call call, ScriptTestBed shard) {
        List<Settlement> done = call.known().isEmpty()
                ? List.of()
                : List.of(Settlement.done(call.known().split(" ")[0]));
        List<Claimed> claimed = shard.worker(call.who())
                .claims
                .exchange(new Request(
                        call.who(),
                        0,
                        call.number(),
                        "m",
                        call.what().endsWith("last") ? 0 : 1,
                        1,
                        List.of(QUEUE),
                        done,
                        ClaimGate.OPEN))
                .claimed();
        return claimed.isEmpty()
                ? ""
                : claimed.get(0).token() + " " + text(claimed.get(0).payload());
    }

    @Override
    public void check(State state) {
        space.make(state.stored(), "check", () -> {
            checkPlaces();
            return "";
        });
        if (steps(state).isEmpty()) {
            space.make(state.stored(), "end", this::end);
        }
    }

    /** Each job is in one place that counts, or has been done once: a slice counts unless the target has stored it. */
    private List<String> places() {
        List<String> places = new ArrayList<>(bed.queue(QUEUE));
        places.addAll(there.queue(QUEUE));
        actors.keySet().forEach(who -> {
            places.addAll(bed.inFlight(who).values());
            places.addAll(there.inFlight(who).values());
        });
        String slice = bed.redis.texts().hget("jobs:outgoing:mail", "slice");
        String arrived = bed.redis.texts().hget(TARGET + "jobs:incoming", ID);
        List<String> onTheWay = bed.redis.texts().lrange("jobs:slice:mail", 0, -1).stream()
                .map(entry -> entry.substring(entry.indexOf('\n') + 1))
                .toList();
        assertThat(onTheWay.isEmpty()).isEqualTo(slice == null);
        if (slice != null && !(arrived.startsWith(slice + " ") && !arrived.endsWith(" void"))) {
            places.addAll(onTheWay);
        }
        return places;
    }

    private void checkPlaces() {
        List<String> places = places();
        assertThat(places).as("each job is in one place").doesNotHaveDuplicates();
        long done = bed.books().acked() + there.books().acked();
        assertThat(places.size() + done).as("jobs in places and done").isEqualTo(JOBS.size());
        assertThat(bed.books().conservationError()).isZero();
        assertThat(there.books().conservationError()).isZero();
    }

    /** All processes die; another one goes on with the transfer, or finds that it is over. */
    private String end() {
        for (int round = 0; round < 2 * JOBS.size() + 2; round++) {
            String known = take(new Call("last", "take", 0, ""));
            settle(answered(known, false));
        }
        boolean over = source.state() == null;
        checkPlaces();
        assertThat(bed.redis.texts().exists("jobs:slice:mail")).isZero();
        if (!over) {
            assertThat(bed.queue(QUEUE)).isEmpty();
            assertThat(source.close(ID)).isTrue();
        }
        assertThat(bed.redis.texts().exists("jobs:outgoing", "jobs:outgoing:mail"))
                .isZero();
        return "";
    }
}
