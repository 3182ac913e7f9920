package dev.jobs.batches;

import static dev.jobs.batches.BatchTestBed.QUEUE;
import static dev.jobs.batches.BatchTestBed.failed;
import static dev.jobs.store.ScriptTestBed.bytes;
import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.batches.BatchEffects.Report;
import dev.jobs.batches.BatchEnds.Callback;
import dev.jobs.batches.BatchNotes.Running;
import dev.jobs.batches.BatchTestBed.Plan;
import dev.jobs.lists.JobSets;
import dev.jobs.store.ActorInterleavings;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.JobClaims;
import dev.jobs.store.JobClaims.Request;
import dev.jobs.store.ScriptTestBed;
import dev.jobs.store.Settlement;
import dev.jobs.store.StateSpace;
import dev.jobs.store.StoredSet;
import dev.jobs.store.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Workers, reapers, people and leaders that take their steps with a batch of three jobs in any order. */
public final class BatchInterleavings extends ActorInterleavings {

    private static final String ID = BatchTestBed.id(1);

    private final BatchTestBed batches;
    private final Plan plan;

    /** @param actors the steps of each */
    BatchInterleavings(ScriptTestBed bed, StateSpace space, Plan plan, Map<String, List<String>> actors) {
        super(bed, space, actors);
        this.batches = new BatchTestBed(bed);
        this.plan = plan;
    }

    State start() {
        bed.clear();
        batches.batch(1, 3, plan);
        return begin();
    }

    @Override
    public String run(Call call) {
        String[] words = call.what().split(" ");
        JobSets sets = batches.sets;
        switch (words[0]) {
            case "claim" -> {
                return exchange(call, Integer.parseInt(words[1]), List.of());
            }
            case "settle" -> {
                List<Settlement> settlements = new ArrayList<>();
                jobs(call.known()).forEach((token, payload) -> {
                    if (settlements.size() < words.length - 1) {
                        settlements.add(settlement(words[1 + settlements.size()], token, payload));
                    }
                });
                exchange(call, 0, settlements);
            }
            case "note" ->
                batches.notes.note(
                        call.who(),
                        jobs(call.known()).entrySet().stream()
                                .map(job -> new Running(
                                        job.getKey(), BatchTestBed.batchJob(job.getValue()), Report.NOTHING))
                                .toList());
            case "forget" -> bed.redis.texts().zadd("jobs:beats", -1, words[1]);
            case "reap" -> batches.leases.reap(words[1]);
            case "trash" ->
                bed.queue(QUEUE).stream()
                        .limit(1)
                        .forEach(job -> batches.trash.add(QUEUE, List.of(bytes(job)), List.of(bytes("")), "b", true));
            case "restore" ->
                batches.trash.newest(Instant.now(), 0, 1).items().forEach(job -> batches.trash.restore(List.of(job)));
            case "revive" ->
                bed.members("dead")
                        .forEach(
                                job -> sets.move(StoredSet.DEAD, List.of(sets.toQueue(bytes(job), QUEUE, bytes(job)))));
            case "promote" ->
                bed.members("retry")
                        .forEach(job ->
                                sets.move(StoredSet.RETRY, List.of(sets.toQueue(bytes(job), QUEUE, bytes(job)))));
            case "read" -> {
                return noted();
            }
            case "finish" -> finish(call.known());
            default -> throw new IllegalArgumentException(call.what());
        }
        return call.known();
    }

    private String exchange(Call call, int want, List<Settlement> settlements) {
        return bed
                .worker(call.who())
                .claims
                .exchange(new Request(
                        call.who(), 0, call.number(), "m", want, 1, List.of(QUEUE), settlements, ClaimGate.OPEN))
                .claimed()
                .stream()
                .map(job -> job.token() + " " + text(job.payload()))
                .collect(Collectors.joining("\n"));
    }

    private static SortedMap<String, String> jobs(String known) {
        SortedMap<String, String> jobs = new TreeMap<>();
        known.lines().forEach(line -> jobs.put(line.split(" ")[0], line.split(" ")[1]));
        return jobs;
    }

    private Settlement settlement(String outcome, String token, String payload) {
        byte[] again = bytes(failed(payload));
        Settlement settlement =
                switch (outcome) {
                    case "done" -> Settlement.done(token);
                    case "failed" -> Settlement.failed(token);
                    case "retried" -> Settlement.retried(token, Duration.ZERO, again);
                    case "dead" -> Settlement.dead(token, again, true);
                    default -> Settlement.handedBack(token, QUEUE, true);
                };
        return batches.told(settlement, payload);
    }

    private String noted() {
        Map<String, String> counters = batches.counters(ID);
        return plan.definition().callbacks().keySet().stream()
                .map(BatchInvariants::name)
                .filter(counters::containsKey)
                .sorted()
                .collect(Collectors.joining("\n"));
    }

    /** As the leader does it: with the callbacks of all events that were not noted when it read the batch. */
    private void finish(String noted) {
        List<Callback> callbacks = new ArrayList<>();
        for (BatchEvent event : BatchEvent.values()) {
            byte[] payload = plan.definition().callbacks().get(event);
            if (payload != null && !noted.lines().toList().contains(BatchInvariants.name(event))) {
                callbacks.add(new Callback(event, QUEUE, payload));
            }
        }
        batches.ends.look(ID, plan.definition(), callbacks, true);
    }

    @Override
    public void check(State state) {
        space.make(state.stored(), "check", () -> {
            invariants().check();
            return "";
        });
        if (steps(state).isEmpty()) {
            space.make(state.stored(), "end", this::end);
        }
    }

    private BatchInvariants invariants() {
        BatchInvariants invariants = new BatchInvariants(batches);
        invariants.add(ID, plan);
        return invariants;
    }

    /** All processes die; a new one does what is left, and the leader looks: the batch is over. */
    private String end() {
        for (String who : actors.keySet()) {
            if (!bed.inFlight(who).isEmpty()) {
                bed.worker(who).leases.leave(who);
                batches.leases.reap(who);
            }
        }
        Worker last = bed.worker("last").join();
        boolean busy = true;
        while (busy) {
            run(new Call("last", "promote", 0, ""));
            batches.lookAtAll();
            List<JobClaims.Claimed> claimed = last.take(10, QUEUE);
            last.settle(claimed.stream()
                    .map(job -> batches.told(Settlement.done(job.token()), text(job.payload())))
                    .toArray(Settlement[]::new));
            busy = !claimed.isEmpty() || !batches.rest().isEmpty();
        }
        invariants().check();
        Map<String, String> counters = batches.counters(ID);
        assertThat(counters).containsKeys("attempted", "finished", "told");
        assertThat(bed.members("jobs:batches:open")).isEmpty();
        for (BatchEvent event : BatchEvent.values()) {
            if (counters.containsKey(BatchInvariants.name(event))) {
                seen.add(BatchInvariants.name(event));
            }
        }
        seen.add(batches.states(ID));
        return "";
    }
}
