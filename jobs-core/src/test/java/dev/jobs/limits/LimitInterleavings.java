package dev.jobs.limits;

import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.limits.Permits.Answer;
import dev.jobs.limits.Permits.Asking;
import dev.jobs.lists.JobSets;
import dev.jobs.redis.Bytes;
import dev.jobs.store.ActorInterleavings;
import dev.jobs.store.ClaimGate;
import dev.jobs.store.Effect;
import dev.jobs.store.JobClaims.Claimed;
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
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Workers, a reaper and a leader that take their steps with jobs of one key, of which one may run, in any order. */
public final class LimitInterleavings extends ActorInterleavings {

    /** A job as a worker knows it: with its permit, or without. */
    private record Known(String token, String payload, boolean runs) {

        static List<Known> all(String lines) {
            return lines.lines()
                    .map(line -> line.split(" "))
                    .map(parts -> new Known(parts[0], parts[1], parts[2].equals("runs")))
                    .toList();
        }

        @Override
        public String toString() {
            return token + " " + payload + " " + (runs ? "runs" : "asks");
        }
    }

    private static final String QUEUE = "mail";
    private static final JobLimit LIMIT = new JobLimit("shop", "5", null);
    private static final List<String> JOBS = List.of("j1", "j2", "j3");

    private final Permits permits;
    private final PermitEffects effects;
    private final ParkedJobs parked;
    private final JobSets sets;

    /** @param actors the steps of each */
    LimitInterleavings(ScriptTestBed bed, StateSpace space, Map<String, List<String>> actors) {
        super(bed, space, actors);
        this.permits = new Permits(bed.connection, bed.keys);
        this.effects = new PermitEffects(bed.keys);
        this.parked = new ParkedJobs(bed.connection, bed.keys);
        this.sets = bed.sets();
    }

    State start() {
        bed.clear();
        permits.declare(Map.of(LIMIT.limit(), LimitNumbers.atOnce(1)));
        bed.redis.texts().del("jobs:wake"); // so that nothing depends on the look at all keys
        bed.push(QUEUE, JOBS.toArray(String[]::new));
        return begin();
    }

    @Override
    public String run(Call call) {
        String[] words = call.what().split(" ");
        List<Known> known = Known.all(call.known());
        List<Known> after =
                switch (words[0]) {
                    case "claim" -> exchange(call, known, Integer.parseInt(words[1]), "");
                    case "settle" -> exchange(call, known, 0, words[1]);
                    case "go" -> exchange(call, known, 1, words[1]);
                    case "admit" -> admit(call.who(), known);
                    case "forget" -> {
                        bed.redis.texts().zadd("jobs:beats", -1, words[1]);
                        yield known;
                    }
                    case "reap" -> {
                        bed.leases().reap(words[1]);
                        yield known;
                    }
                    case "look" -> {
                        parked.look(bed.members("jobs:wake"), Instant.now());
                        yield known;
                    }
                    case "promote" -> {
                        bed.members("retry")
                                .forEach(job -> sets.move(
                                        StoredSet.RETRY, List.of(sets.toQueue(Bytes.of(job), QUEUE, Bytes.of(job)))));
                        yield known;
                    }
                    default -> throw new IllegalArgumentException(call.what());
                };
        return after.stream().map(Known::toString).collect(Collectors.joining("\n"));
    }

    /** Settles the jobs that have permits, and claims others. */
    private List<Known> exchange(Call call, List<Known> known, int want, String outcome) {
        List<Known> ending =
                known.stream().filter(job -> job.runs() && !outcome.isEmpty()).toList();
        List<Effect> release = effects.of(call.who(), QUEUE, List.of(LIMIT));
        List<Settlement> settlements = ending.stream()
                .map(job -> settlement(outcome, job).with(release))
                .toList();
        List<Claimed> claimed = bed.worker(call.who())
                .claims
                .exchange(new Request(
                        call.who(), 0, call.number(), "m", want, 1, List.of(QUEUE), settlements, ClaimGate.OPEN))
                .claimed();
        return Stream.concat(
                        known.stream().filter(job -> !ending.contains(job)),
                        claimed.stream().map(this::known))
                .toList();
    }

    private Known known(Claimed job) {
        if (job.permit() != null) {
            seen.add("handed over");
        }
        return new Known(job.token(), text(job.payload()), job.permit() != null);
    }

    private static Settlement settlement(String outcome, Known job) {
        return switch (outcome) {
            case "done" -> Settlement.done(job.token());
            case "retried" -> Settlement.retried(job.token(), Duration.ZERO, Bytes.of(job.payload()));
            default -> Settlement.handedBack(job.token(), QUEUE, true);
        };
    }

    private List<Known> admit(String who, List<Known> known) {
        List<Known> asking = known.stream().filter(job -> !job.runs()).toList();
        List<Known> after = new ArrayList<>(known.stream().filter(Known::runs).toList());
        if (asking.isEmpty()) {
            return after;
        }
        Optional<List<Answer>> answers = permits.admit(
                who,
                asking.stream()
                        .map(job -> new Asking(
                                job.token(), QUEUE, (long) JOBS.indexOf(job.payload()), List.of(LIMIT), List.of()))
                        .toList());
        for (int i = 0; answers.isPresent() && i < asking.size(); i++) {
            Answer answer = answers.get().get(i);
            seen.add(answer.name());
            if (answer == Answer.ADMITTED) {
                Known job = asking.get(i);
                after.add(new Known(job.token(), job.payload(), true));
            }
        }
        return after;
    }

    @Override
    public void check(State state) {
        space.make(state.stored(), List.of("check", state.known()), () -> {
            check(state.known());
            return "";
        });
        if (steps(state).isEmpty()) {
            space.make(state.stored(), "end", this::end);
        }
    }

    private void check(SortedMap<String, String> known) {
        List<String> held = bed.members("jobs:permits:shop");
        assertThat(held).as("permits of the key").hasSizeLessThanOrEqualTo(1);
        List<String> places = new ArrayList<>(bed.queue(QUEUE));
        places.addAll(bed.members("retry"));
        for (String who : actors.keySet()) {
            bed.inFlight(who).forEach((token, job) -> {
                places.add(job);
                if (held.contains("5\n" + who + "\n" + token)) {
                    places.add("permit");
                }
            });
        }
        assertThat(places.stream().filter("permit"::equals))
                .as("permits whose job is in flight")
                .hasSameSizeAs(held);
        places.removeIf("permit"::equals);
        List<String> waiting = bed.members("jobs:parked:shop").stream()
                .map(job -> job.substring(job.lastIndexOf('\n') + 1))
                .toList();
        places.addAll(waiting);
        assertThat(places).as("each job is in one place").doesNotHaveDuplicates();
        assertThat(waiting.isEmpty()
                        || !held.isEmpty()
                        || bed.members("jobs:wake").contains(LIMIT.id()))
                .as("somebody lets %s go on", waiting)
                .isTrue();
        List<String> running = new ArrayList<>();
        known.forEach((who, jobs) -> {
            Double beat = bed.redis.texts().zscore("jobs:beats", who);
            if (beat != null && beat > 0) {
                Known.all(jobs).stream()
                        .filter(Known::runs)
                        .forEach(job -> running.add("5\n" + who + "\n" + job.token()));
            }
        });
        assertThat(held).as("jobs that run have their permits").containsAll(running);
    }

    /** All processes die; a new one does what is left, and the leader looks. */
    private String end() {
        for (String who : actors.keySet()) {
            if (!bed.inFlight(who).isEmpty()) {
                bed.worker(who).leases.leave(who);
                bed.leases().reap(who);
            }
        }
        Worker last = bed.worker("last").join();
        for (int round = 0; round < 20; round++) {
            run(new Call("last", "promote", 0, ""));
            run(new Call("last", "look", 0, ""));
            List<Known> jobs = new ArrayList<>(
                    last.take(10, QUEUE).stream().map(this::known).toList());
            List<Effect> release = effects.of("last", QUEUE, List.of(LIMIT));
            last.settle(admit("last", jobs).stream()
                    .map(job -> Settlement.done(job.token()).with(release))
                    .toArray(Settlement[]::new));
        }
        assertThat(bed.queue(QUEUE)).isEmpty();
        assertThat(bed.inFlight("last")).isEmpty();
        assertThat(bed.redis.texts().keys("jobs:parked*")).isEmpty();
        assertThat(bed.redis.texts().keys("jobs:permit*")).isEmpty();
        return "";
    }
}
