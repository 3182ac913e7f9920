package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.lists.Ledger.Totals;
import dev.jobs.store.InterleavingCall.Delivery;
import dev.jobs.store.InterleavingCall.Exchange;
import dev.jobs.store.InterleavingCall.Leave;
import dev.jobs.store.InterleavingCall.Reap;
import dev.jobs.store.InterleavingCall.Registration;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.store.StateSpace.Change;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/** The invariants of each state and of each call. The same call on the same contents is checked once. */
final class InterleavingInvariants {

    private final InterleavingScripts scripts;
    private final List<String> jobs;
    private final Set<Change<?>> judged = Collections.newSetFromMap(new IdentityHashMap<>());

    /** @param jobs all jobs of the scenario */
    InterleavingInvariants(InterleavingScripts scripts, List<String> jobs) {
        this.scripts = scripts;
        this.jobs = jobs;
    }

    private boolean isNew(Change<?> effect) {
        return judged.add(effect);
    }

    /** The settlements that had no effect. */
    static int tooLate(Reply reply) {
        return reply.lateAcks()
                + (int) reply.moves().stream().filter(result -> result == 0).count();
    }

    /** A new name was never given up, however late its registration arrives. */
    void checkRegistration(RedisContents before, Change<Boolean> lives) {
        assertThat(lives.answer()).isTrue();
        checkThatNothingMoved(before, lives);
    }

    /** A process that is no longer in the index was given up. */
    void checkBeat(RedisContents before, String incarnation, Change<Boolean> lives) {
        assertThat(lives.answer()).isEqualTo(before.isAlive(incarnation));
        checkThatNothingMoved(before, lives);
    }

    void checkLeaving(RedisContents before, Leave call, Change<Integer> held) {
        assertThat(held.answer()).isEqualTo(before.inFlight(call.incarnation()).size());
        assertThat(new RedisContents(held.stored()).isAlive(call.incarnation())).isFalse();
        checkThatNothingMoved(before, held);
    }

    private void checkThatNothingMoved(RedisContents before, Change<?> effect) {
        if (isNew(effect)) {
            assertThat(AllPlacesFixture.places(effect.stored())).isEqualTo(AllPlacesFixture.places(before.stored()));
        }
    }

    /** No token is ever used for two jobs. */
    void checkExchange(InterleavingState before, Exchange call, Change<Reply> effect) {
        if (isNew(effect)) {
            checkExchange(before.contents(), new RedisContents(effect.stored()), call, effect.answer());
        }
        if (effect.answer().status() == Status.OK) {
            effect.answer().claimed().forEach(job -> assertThat(before.delivered())
                    .doesNotContain(InterleavingState.delivery(call.incarnation(), job.token())));
        }
    }

    private static void checkExchange(RedisContents before, RedisContents after, Exchange call, Reply reply) {
        if (reply.status() == Status.REPLAY || reply.status() == Status.STALE) {
            assertThat(after).isEqualTo(before);
        } else {
            assertThat(reply.status()).isEqualTo(before.isAlive(call.incarnation()) ? Status.OK : Status.FENCED);
            checkClaims(before, after, call, reply);
            checkSettlements(before, after, call, reply);
        }
    }

    /** Checks an answer that the process waited for. */
    static void checkAnswer(Reply reply) {
        assertThat(reply.status()).isNotEqualTo(Status.STALE);
        if (reply.status() == Status.OK) {
            assertThat(tooLate(reply)).as("taken from a living process").isZero();
        }
    }

    private static void checkClaims(RedisContents before, RedisContents after, Exchange call, Reply reply) {
        SortedMap<String, String> held = before.inFlight(call.incarnation());
        call.deliveries().forEach(delivery -> held.remove(delivery.token()));
        reply.claimed().forEach(job -> {
            assertThat(before.isAlive(call.incarnation())).isTrue();
            held.put(job.token(), text(job.payload()));
        });
        checkInFlight(before, after, call.incarnation(), held);
    }

    /** The process holds exactly these jobs, and the jobs of all others are unchanged. */
    private static void checkInFlight(
            RedisContents before, RedisContents after, String incarnation, SortedMap<String, String> own) {
        SortedMap<String, SortedMap<String, String>> expected = before.inFlight();
        expected.remove(incarnation);
        if (!own.isEmpty()) {
            expected.put(incarnation, own);
        }
        assertThat(after.inFlight()).isEqualTo(expected);
    }

    private static void checkSettlements(RedisContents before, RedisContents after, Exchange call, Reply reply) {
        SortedMap<String, String> held = before.inFlight(call.incarnation());
        List<Delivery> effective = call.deliveries().stream()
                .filter(delivery -> held.containsKey(delivery.token()))
                .toList();
        assertThat(effective).allSatisfy(delivery -> assertThat(held.get(delivery.token()))
                .as("the settled job is the one that ran")
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

    private static void checkCounters(RedisContents before, RedisContents after, List<Delivery> effective) {
        List<Settlement> settlements =
                effective.stream().map(Delivery::settlement).toList();
        assertThat(after.number("stat:processed") - before.number("stat:processed"))
                .isEqualTo(settlements.stream().mapToInt(Settlement::processed).sum());
        assertThat(after.number("stat:failed") - before.number("stat:failed"))
                .isEqualTo(settlements.stream().mapToInt(Settlement::failed).sum());
    }

    void checkReaping(RedisContents before, Reap call, Change<Boolean> forgotten) {
        if (!isNew(forgotten)) {
            return;
        }
        RedisContents after = new RedisContents(forgotten.stored());
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

    void checkState(InterleavingState state) {
        RedisContents contents = state.contents();
        Change<Totals> books = scripts.books(contents);
        Change<String> sweep = scripts.sweep(contents);
        RedisContents swept = new RedisContents(sweep.stored());
        if (isNew(books)) {
            checkPlaces(contents, books.answer());
            checkSweep(contents, swept, sweep.answer());
        }
        for (InterleavingProcess process : state.processes()) {
            if (process.registered() && !process.waiting() && contents.isAlive(process.incarnation())) {
                assertThat(contents.inFlight(process.incarnation())).containsAllEntriesOf(process.held());
            }
            checkThatNothingHappensAfter(swept, process);
        }
        checkGhosts(state);
    }

    /** A late registration revives a name that no process uses any more. It never holds jobs. */
    private static void checkGhosts(InterleavingState state) {
        List<String> names =
                state.processes().stream().map(InterleavingProcess::incarnation).toList();
        assertThat(state.contents().members().keySet())
                .filteredOn(member -> state.contents().isAlive(member) && !names.contains(member))
                .noneMatch(state.contents()::hasInFlightHash);
    }

    private void checkPlaces(RedisContents contents, Totals books) {
        SortedMap<String, List<String>> places = AllPlacesFixture.places(contents.stored());
        assertThat(jobs).containsAll(places.keySet());
        assertThat(places.values()).allSatisfy(in -> assertThat(in).hasSize(1));
        assertThat(books.conservationError()).isZero();
        assertThat(books.acked()).isEqualTo(jobs.size() - places.size());
    }

    /** If all processes die now, a new one puts all jobs back. */
    private static void checkSweep(RedisContents contents, RedisContents swept, String newcomer) {
        assertThat(swept.hasInFlightHashes()).isFalse();
        assertThat(swept.members().keySet()).isEqualTo(Set.of(newcomer));
        SortedMap<String, List<String>> places = AllPlacesFixture.places(swept.stored());
        assertThat(places.keySet()).isEqualTo(contents.jobs());
        assertThat(places.values())
                .allSatisfy(in -> assertThat(in).isSubsetOf("queue:" + InterleavingCall.QUEUE, "retry"));
    }

    /** Calls of processes that were given up, and late calls, have no effect. */
    private void checkThatNothingHappensAfter(RedisContents sweep, InterleavingProcess process) {
        RedisContents contents = sweep;
        for (Registration call : process.late(Registration.class)) {
            Change<Boolean> lives = scripts.register(contents, call);
            checkRegistration(contents, lives);
            contents = new RedisContents(lives.stored());
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
