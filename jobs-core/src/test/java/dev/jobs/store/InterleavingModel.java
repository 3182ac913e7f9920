package dev.jobs.store;

import static dev.jobs.store.ScriptTestBed.text;

import dev.jobs.store.InterleavingCall.Beat;
import dev.jobs.store.InterleavingCall.Exchange;
import dev.jobs.store.InterleavingCall.Leave;
import dev.jobs.store.InterleavingCall.Reap;
import dev.jobs.store.InterleavingCall.Registration;
import dev.jobs.store.JobClaims.Reply;
import dev.jobs.store.JobClaims.Status;
import dev.jobs.store.StateSpace.Change;
import dev.jobs.store.StateSpace.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Processes that claim, settle, beat, give each other up and continue under new identities, reapers, and calls that are
 * repeated or arrive late. A frozen or dead process is one that takes no more steps.
 */
final class InterleavingModel implements StateSpace.Model<InterleavingState> {

    private final InterleavingScenario scenario;
    private final InterleavingScripts scripts;
    private final InterleavingInvariants rules;
    private final SortedSet<String> seen = new TreeSet<>();

    InterleavingModel(InterleavingScenario scenario, InterleavingScripts scripts) {
        this.scenario = scenario;
        this.scripts = scripts;
        this.rules = new InterleavingInvariants(scripts, scenario.jobs());
    }

    /** Stores the jobs in an empty Redis. */
    InterleavingState start() {
        return new InterleavingState(
                scenario.plans().stream().map(InterleavingProcess::of).toList(),
                IntStream.rangeClosed(1, scenario.reapers())
                        .mapToObj(number -> InterleavingReaper.idle("reaper " + number, scenario.looks()))
                        .toList(),
                new TreeSet<>(),
                scripts.start(scenario.jobs()));
    }

    /** The kinds of events that occurred. */
    SortedSet<String> seen() {
        return seen;
    }

    @Override
    public void check(InterleavingState state) {
        rules.checkState(state);
    }

    @Override
    public List<Step<InterleavingState>> steps(InterleavingState state) {
        List<Step<InterleavingState>> steps = new ArrayList<>();
        for (InterleavingProcess process : state.processes()) {
            if (process.registered()) {
                addTask(state, process, steps);
                addPulse(state, process, steps);
                addAdoption(state, process, steps);
            } else if (process.hasTask() || process.hasPulse()) {
                addRegistration(state, process, steps);
            }
            addLateCalls(state, process, steps);
        }
        state.reapers().forEach(reaper -> addReaping(state, reaper, steps));
        return steps;
    }

    /** A registration whose answer is lost equals a late one that arrives at once. */
    private void addRegistration(
            InterleavingState state, InterleavingProcess process, List<Step<InterleavingState>> steps) {
        Registration call = new Registration(process.incarnation());
        steps.add(new Step<>(call.toString(), () -> register(state, call, process, process.joined())));
        if (process.faults() > 0) {
            steps.add(new Step<>(call + ", on its way", () -> state.with(process, process.delayed(call))));
        }
    }

    private void addTask(InterleavingState state, InterleavingProcess process, List<Step<InterleavingState>> steps) {
        if (process.hasExchange()) {
            addExchange(state, process, steps);
        } else if (process.hasTask()) {
            Leave call = new Leave(process.incarnation());
            steps.add(new Step<>(call.toString(), () -> leave(state, call, process)));
        }
    }

    private void addExchange(
            InterleavingState state, InterleavingProcess process, List<Step<InterleavingState>> steps) {
        Exchange call = process.exchange();
        steps.add(new Step<>(
                call.toString(), () -> exchange(state, call, process, reply -> answered(process, call, reply))));
        if (process.faults() > 0) {
            steps.add(new Step<>(
                    call + ", answer lost", () -> exchange(state, call, process, reply -> process.unheard())));
            steps.add(new Step<>(call + ", on its way", () -> state.with(process, process.delayed(call))));
        }
    }

    private void addLateCalls(
            InterleavingState state, InterleavingProcess process, List<Step<InterleavingState>> steps) {
        process.late().stream()
                .distinct()
                .forEach(call -> steps.add(new Step<>(call + ", late", () -> arrivesLate(state, call, process))));
    }

    private void addPulse(InterleavingState state, InterleavingProcess process, List<Step<InterleavingState>> steps) {
        if (process.hasPulse()) {
            Beat call = new Beat(process.incarnation(), process.nextPulse());
            steps.add(new Step<>(call.toString(), () -> beat(state, call, process)));
        }
    }

    /**
     * A late copy of a call may claim jobs that the process doesn't expect. The process learns of them from its beats.
     */
    private static void addAdoption(
            InterleavingState state, InterleavingProcess process, List<Step<InterleavingState>> steps) {
        SortedMap<String, String> all = state.contents().inFlight(process.incarnation());
        all.putAll(process.held());
        if (process.hasTask() && !process.waiting() && !all.equals(process.held())) {
            steps.add(new Step<>(process.incarnation() + " adopts", () -> state.with(process, process.adopting(all))));
        }
    }

    /** A reaper may try any process that holds a job: the script has to protect living ones. */
    private void addReaping(InterleavingState state, InterleavingReaper reaper, List<Step<InterleavingState>> steps) {
        if (!reaper.isIdle()) {
            steps.add(new Step<>(reaper.name() + " " + reaper.next(), () -> reap(state, reaper)));
        } else if (reaper.looks() > 0) {
            for (String victim : state.contents().members().keySet()) {
                Set<String> tokens = state.contents().inFlight(victim).keySet();
                if (state.contents().isGivenUp(victim) || !tokens.isEmpty()) {
                    steps.add(new Step<>(
                            reaper.name() + " looks at " + victim,
                            () -> state.with(reaper, reaper.looksAt(victim, tokens))));
                }
            }
        }
    }

    private InterleavingState arrivesLate(
            InterleavingState before, InterleavingCall call, InterleavingProcess process) {
        InterleavingProcess after = process.without(call);
        if (call instanceof Exchange exchange) {
            return exchange(before, exchange, process, reply -> after);
        }
        seen.add("registered too late");
        return register(before, (Registration) call, process, after);
    }

    private InterleavingState register(
            InterleavingState before, Registration call, InterleavingProcess process, InterleavingProcess after) {
        Change<Boolean> lives = scripts.register(before.contents(), call);
        rules.checkRegistration(before.contents(), lives);
        return before.with(lives.stored()).with(process, after);
    }

    private InterleavingState beat(InterleavingState before, Beat call, InterleavingProcess process) {
        Change<Boolean> lives = scripts.beat(before.contents(), call);
        rules.checkBeat(before.contents(), call.incarnation(), lives);
        seen.add(lives.answer() ? "beat" : "beat too late");
        InterleavingProcess beaten = process.beaten();
        return before.with(lives.stored()).with(process, lives.answer() ? beaten : beaten.renewed());
    }

    private InterleavingState leave(InterleavingState before, Leave call, InterleavingProcess process) {
        Change<Integer> held = scripts.leave(before.contents(), call);
        rules.checkLeaving(before.contents(), call, held);
        seen.add(held.answer() > 0 ? "left with jobs" : "left");
        return before.with(held.stored()).with(process, process.answered(new TreeMap<>()));
    }

    private InterleavingState exchange(
            InterleavingState before,
            Exchange call,
            InterleavingProcess process,
            Function<Reply, InterleavingProcess> heard) {
        Change<Reply> effect = scripts.exchange(before.contents(), call);
        rules.checkExchange(before, call, effect);
        Reply reply = effect.answer();
        seen.add(reply.status().name());
        if (InterleavingInvariants.tooLate(reply) > 0) {
            seen.add("settled too late");
        }
        return before.with(effect.stored()).with(process, heard.apply(reply));
    }

    private static InterleavingProcess answered(InterleavingProcess process, Exchange call, Reply reply) {
        InterleavingInvariants.checkAnswer(reply);
        SortedMap<String, String> held = new TreeMap<>(process.held());
        call.deliveries().forEach(delivery -> held.remove(delivery.token()));
        reply.claimed().forEach(job -> held.put(job.token(), text(job.payload())));
        InterleavingProcess answered = process.answered(held);
        return reply.status() == Status.FENCED ? answered.renewed() : answered;
    }

    private InterleavingState reap(InterleavingState before, InterleavingReaper reaper) {
        Reap call = reaper.next();
        Change<Boolean> forgotten = scripts.reap(before.contents(), call);
        rules.checkReaping(before.contents(), call, forgotten);
        seen.add(whatIsReaped(before.contents(), call));
        return before.with(forgotten.stored()).with(reaper, reaper.afterwards());
    }

    private static String whatIsReaped(RedisContents before, Reap call) {
        if (!before.isGivenUp(call.victim())) {
            return "not to be reaped";
        }
        return before.inFlight(call.victim()).containsKey(call.token()) ? "reaped" : "reaped nothing";
    }
}
