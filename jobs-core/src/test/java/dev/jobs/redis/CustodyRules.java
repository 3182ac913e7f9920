package dev.jobs.redis;

import static dev.jobs.redis.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.redis.CustodyCall.Delivery;
import dev.jobs.redis.CustodyCall.Exchange;
import dev.jobs.redis.CustodyCall.Leave;
import dev.jobs.redis.CustodyCall.Reap;
import dev.jobs.redis.CustodyCall.Registration;
import dev.jobs.redis.JobClaims.Reply;
import dev.jobs.redis.JobClaims.Status;
import dev.jobs.redis.Ledger.Totals;
import dev.jobs.redis.StateSpace.Change;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/** What must hold: in each state, and of what each call does. The same call on the same contents is judged once. */
final class CustodyRules {

    private final CustodyScripts scripts;
    private final List<String> jobs;
    private final Set<Change<?>> judged = Collections.newSetFromMap(new IdentityHashMap<>());

    /** @param jobs all that there ever are */
    CustodyRules(CustodyScripts scripts, List<String> jobs) {
        this.scripts = scripts;
        this.jobs = jobs;
    }

    private boolean isNew(Change<?> effect) {
        return judged.add(effect);
    }

    /** The settlements that had no effect. */
    static int tooLate(Reply reply) {
        return reply.refusedAcks()
                + (int) reply.moves().stream().filter(result -> result == 0).count();
    }

    /** Nobody was given up under a name that is new, however late it comes. */
    void checkRegistration(Contents before, Change<Boolean> lives) {
        assertThat(lives.answer()).isTrue();
        checkThatNothingMoved(before, lives);
    }

    /** Who is forgotten was given up. */
    void checkBeat(Contents before, String incarnation, Change<Boolean> lives) {
        assertThat(lives.answer()).isEqualTo(before.isAlive(incarnation));
        checkThatNothingMoved(before, lives);
    }

    void checkLeaving(Contents before, Leave call, Change<Integer> held) {
        assertThat(held.answer()).isEqualTo(before.inFlight(call.incarnation()).size());
        assertThat(new Contents(held.stored()).isAlive(call.incarnation())).isFalse();
        checkThatNothingMoved(before, held);
    }

    private void checkThatNothingMoved(Contents before, Change<?> effect) {
        if (isNew(effect)) {
            assertThat(Scene.places(effect.stored())).isEqualTo(Scene.places(before.stored()));
        }
    }

    /** No token stands for two jobs, be it one after the other. */
    void checkExchange(CustodyState before, Exchange call, Change<Reply> effect) {
        if (isNew(effect)) {
            checkExchange(before.contents(), new Contents(effect.stored()), call, effect.answer());
        }
        if (effect.answer().status() == Status.OK) {
            effect.answer().claimed().forEach(job -> assertThat(before.delivered())
                    .doesNotContain(CustodyState.delivery(call.incarnation(), job.token())));
        }
    }

    private static void checkExchange(Contents before, Contents after, Exchange call, Reply reply) {
        if (reply.status() == Status.REPLAY || reply.status() == Status.STALE) {
            assertThat(after).isEqualTo(before);
        } else {
            assertThat(reply.status()).isEqualTo(before.isAlive(call.incarnation()) ? Status.OK : Status.FENCED);
            checkClaims(before, after, call, reply);
            checkSettlements(before, after, call, reply);
        }
    }

    /** As a process sees it that has waited for the answer. */
    static void checkAnswer(Reply reply) {
        assertThat(reply.status()).isNotEqualTo(Status.STALE);
        if (reply.status() == Status.OK) {
            assertThat(tooLate(reply)).as("taken from a living process").isZero();
        }
    }

    private static void checkClaims(Contents before, Contents after, Exchange call, Reply reply) {
        SortedMap<String, String> held = before.inFlight(call.incarnation());
        call.deliveries().forEach(delivery -> held.remove(delivery.token()));
        reply.claimed().forEach(job -> {
            assertThat(before.isAlive(call.incarnation())).isTrue();
            held.put(job.token(), text(job.payload()));
        });
        checkInFlight(before, after, call.incarnation(), held);
    }

    /** A process or its reaper left these jobs of its own, and changed nobody else's. */
    private static void checkInFlight(
            Contents before, Contents after, String incarnation, SortedMap<String, String> own) {
        SortedMap<String, SortedMap<String, String>> expected = before.inFlight();
        expected.remove(incarnation);
        if (!own.isEmpty()) {
            expected.put(incarnation, own);
        }
        assertThat(after.inFlight()).isEqualTo(expected);
    }

    private static void checkSettlements(Contents before, Contents after, Exchange call, Reply reply) {
        SortedMap<String, String> held = before.inFlight(call.incarnation());
        List<Delivery> effective = call.deliveries().stream()
                .filter(delivery -> held.containsKey(delivery.token()))
                .toList();
        assertThat(effective).allSatisfy(delivery -> assertThat(held.get(delivery.token()))
                .as("the job that is settled is the one that was run")
                .isEqualTo(delivery.payload()));
        assertThat(tooLate(reply)).isEqualTo(call.deliveries().size() - effective.size());
        checkCounters(before, after, effective);
        int counted = (int) effective.stream()
                .filter(delivery -> !delivery.settlement().isPlainAck())
                .count();
        assertThat(after.happened() - before.happened()).isEqualTo(counted);
        Set<String> remaining = before.jobs();
        effective.stream().filter(Delivery::ends).forEach(delivery -> remaining.remove(delivery.payload()));
        assertThat(after.jobs()).isEqualTo(remaining);
    }

    private static void checkCounters(Contents before, Contents after, List<Delivery> effective) {
        List<Settlement> settlements =
                effective.stream().map(Delivery::settlement).toList();
        assertThat(after.number("stat:processed") - before.number("stat:processed"))
                .isEqualTo(settlements.stream().mapToInt(Settlement::processed).sum());
        assertThat(after.number("stat:failed") - before.number("stat:failed"))
                .isEqualTo(settlements.stream().mapToInt(Settlement::failed).sum());
    }

    void checkReaping(Contents before, Reap call, Change<Boolean> forgotten) {
        if (!isNew(forgotten)) {
            return;
        }
        Contents after = new Contents(forgotten.stored());
        if (before.isGivenUp(call.victim())) {
            SortedMap<String, String> rest = before.inFlight(call.victim());
            rest.remove(call.token());
            checkInFlight(before, after, call.victim(), rest);
            assertThat(forgotten.answer()).isEqualTo(rest.isEmpty());
            assertThat(after.isGivenUp(call.victim())).isEqualTo(!rest.isEmpty());
            assertThat(after.jobs()).isEqualTo(before.jobs());
            boolean handedOn = before.inFlight(call.victim()).containsKey(call.token());
            assertThat(after.happened() - before.happened()).isEqualTo(handedOn ? 1 : 0);
        } else {
            assertThat(after).isEqualTo(before);
        }
    }

    void checkState(CustodyState state) {
        Contents contents = state.contents();
        Change<Totals> books = scripts.books(contents);
        Change<String> sweep = scripts.sweep(contents);
        Contents swept = new Contents(sweep.stored());
        if (isNew(books)) {
            checkPlaces(contents, books.answer());
            checkSweep(contents, swept, sweep.answer());
        }
        for (CustodyProcess process : state.processes()) {
            if (process.registered() && !process.waiting() && contents.isAlive(process.incarnation())) {
                assertThat(contents.inFlight(process.incarnation())).containsAllEntriesOf(process.held());
            }
            checkThatNothingHappensAfter(swept, process);
        }
        checkGhosts(state);
    }

    /** A registration that comes too late brings a name to life that no process goes by. It never holds anything. */
    private static void checkGhosts(CustodyState state) {
        List<String> names =
                state.processes().stream().map(CustodyProcess::incarnation).toList();
        assertThat(state.contents().members().keySet())
                .filteredOn(member -> state.contents().isAlive(member) && !names.contains(member))
                .noneMatch(state.contents()::hasInFlightHash);
    }

    private void checkPlaces(Contents contents, Totals books) {
        SortedMap<String, List<String>> places = Scene.places(contents.stored());
        assertThat(jobs).containsAll(places.keySet());
        assertThat(places.values()).allSatisfy(in -> assertThat(in).hasSize(1));
        assertThat(books.conservationError()).isZero();
        assertThat(books.acked()).isEqualTo(jobs.size() - places.size());
    }

    /** If everybody dies now, a newcomer puts everything back. */
    private static void checkSweep(Contents contents, Contents swept, String newcomer) {
        assertThat(swept.hasInFlightHashes()).isFalse();
        assertThat(swept.members().keySet()).isEqualTo(Set.of(newcomer));
        SortedMap<String, List<String>> places = Scene.places(swept.stored());
        assertThat(places.keySet()).isEqualTo(contents.jobs());
        assertThat(places.values()).allSatisfy(in -> assertThat(in).isSubsetOf("queue:" + CustodyCall.QUEUE, "retry"));
    }

    /** Whatever those say who were given up, and whatever comes late. */
    private void checkThatNothingHappensAfter(Contents sweep, CustodyProcess process) {
        Contents contents = sweep;
        for (Registration call : process.late(Registration.class)) {
            Change<Boolean> lives = scripts.register(contents, call);
            checkRegistration(contents, lives);
            contents = new Contents(lives.stored());
        }
        List<Exchange> coming = new ArrayList<>(process.late(Exchange.class));
        if (process.hasExchange()) {
            coming.add(process.exchange());
        }
        for (Exchange call : coming) {
            Change<Reply> effect = scripts.exchange(contents, call);
            if (isNew(effect)) {
                assertThat(effect.stored()).isEqualTo(contents.stored());
            }
        }
    }
}
