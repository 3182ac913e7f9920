package dev.jobs.redis;

import static dev.jobs.redis.ScriptTestBed.text;

import dev.jobs.redis.CustodyCall.Beat;
import dev.jobs.redis.CustodyCall.Exchange;
import dev.jobs.redis.CustodyCall.Leave;
import dev.jobs.redis.CustodyCall.Reap;
import dev.jobs.redis.CustodyCall.Registration;
import dev.jobs.redis.JobClaims.Reply;
import dev.jobs.redis.JobClaims.Status;
import dev.jobs.redis.StateSpace.Change;
import dev.jobs.redis.StateSpace.Step;
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
 * Processes that claim, settle, beat, give each other up and go on under new identities, reapers, and calls that are repeated or come late.
 * Who freezes or dies is one whose turn doesn't come.
 */
final class CustodyModel implements StateSpace.Model<CustodyState> {

    private final Play play;
    private final CustodyScripts scripts;
    private final CustodyRules rules;
    private final SortedSet<String> seen = new TreeSet<>();

    CustodyModel(Play play, CustodyScripts scripts) {
        this.play = play;
        this.scripts = scripts;
        this.rules = new CustodyRules(scripts, play.jobs());
    }

    /** Stores the jobs in an empty Redis. */
    CustodyState start() {
        return new CustodyState(
                play.programs().stream().map(CustodyProcess::of).toList(),
                IntStream.rangeClosed(1, play.reapers())
                        .mapToObj(number -> CustodyReaper.idle("reaper " + number, play.looks()))
                        .toList(),
                new TreeSet<>(),
                scripts.start(play.jobs()));
    }

    /** The kinds of things that happened. */
    SortedSet<String> seen() {
        return seen;
    }

    @Override
    public void check(CustodyState state) {
        rules.checkState(state);
    }

    @Override
    public List<Step<CustodyState>> steps(CustodyState state) {
        List<Step<CustodyState>> steps = new ArrayList<>();
        for (CustodyProcess process : state.processes()) {
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

    /** One that was carried out and whose answer is lost is one that comes late at once. */
    private void addRegistration(CustodyState state, CustodyProcess process, List<Step<CustodyState>> steps) {
        Registration call = new Registration(process.incarnation());
        steps.add(new Step<>(call.toString(), () -> register(state, call, process, process.joined())));
        if (process.faults() > 0) {
            steps.add(new Step<>(call + ", on its way", () -> state.with(process, process.delayed(call))));
        }
    }

    private void addTask(CustodyState state, CustodyProcess process, List<Step<CustodyState>> steps) {
        if (process.hasExchange()) {
            addExchange(state, process, steps);
        } else if (process.hasTask()) {
            Leave call = new Leave(process.incarnation());
            steps.add(new Step<>(call.toString(), () -> leave(state, call, process)));
        }
    }

    private void addExchange(CustodyState state, CustodyProcess process, List<Step<CustodyState>> steps) {
        Exchange call = process.exchange();
        steps.add(new Step<>(
                call.toString(), () -> exchange(state, call, process, reply -> answered(process, call, reply))));
        if (process.faults() > 0) {
            steps.add(new Step<>(
                    call + ", answer lost", () -> exchange(state, call, process, reply -> process.unheard())));
            steps.add(new Step<>(call + ", on its way", () -> state.with(process, process.delayed(call))));
        }
    }

    private void addLateCalls(CustodyState state, CustodyProcess process, List<Step<CustodyState>> steps) {
        process.late().stream()
                .distinct()
                .forEach(call -> steps.add(new Step<>(call + ", late", () -> comesLate(state, call, process))));
    }

    private void addPulse(CustodyState state, CustodyProcess process, List<Step<CustodyState>> steps) {
        if (process.hasPulse()) {
            Beat call = new Beat(process.incarnation(), process.nextPulse());
            steps.add(new Step<>(call.toString(), () -> beat(state, call, process)));
        }
    }

    /** A late copy may claim what nobody waits for; the process finds that out from its beats. */
    private static void addAdoption(CustodyState state, CustodyProcess process, List<Step<CustodyState>> steps) {
        SortedMap<String, String> all = state.contents().inFlight(process.incarnation());
        all.putAll(process.held());
        if (process.hasTask() && !process.waiting() && !all.equals(process.held())) {
            steps.add(new Step<>(process.incarnation() + " adopts", () -> state.with(process, process.adopting(all))));
        }
    }

    /** It may look at anyone who holds a job: that nobody is reaped who lives is the script's business. */
    private void addReaping(CustodyState state, CustodyReaper reaper, List<Step<CustodyState>> steps) {
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

    private CustodyState comesLate(CustodyState before, CustodyCall call, CustodyProcess process) {
        CustodyProcess after = process.without(call);
        if (call instanceof Exchange exchange) {
            return exchange(before, exchange, process, reply -> after);
        }
        seen.add("registered too late");
        return register(before, (Registration) call, process, after);
    }

    private CustodyState register(
            CustodyState before, Registration call, CustodyProcess process, CustodyProcess after) {
        Change<Boolean> lives = scripts.register(before.contents(), call);
        rules.checkRegistration(before.contents(), lives);
        return before.with(lives.stored()).with(process, after);
    }

    private CustodyState beat(CustodyState before, Beat call, CustodyProcess process) {
        Change<Boolean> lives = scripts.beat(before.contents(), call);
        rules.checkBeat(before.contents(), call.incarnation(), lives);
        seen.add(lives.answer() ? "beat" : "beat too late");
        CustodyProcess beaten = process.beaten();
        return before.with(lives.stored()).with(process, lives.answer() ? beaten : beaten.renewed());
    }

    private CustodyState leave(CustodyState before, Leave call, CustodyProcess process) {
        Change<Integer> held = scripts.leave(before.contents(), call);
        rules.checkLeaving(before.contents(), call, held);
        seen.add(held.answer() > 0 ? "left with jobs" : "left");
        return before.with(held.stored()).with(process, process.answered(new TreeMap<>()));
    }

    private CustodyState exchange(
            CustodyState before, Exchange call, CustodyProcess process, Function<Reply, CustodyProcess> heard) {
        Change<Reply> effect = scripts.exchange(before.contents(), call);
        rules.checkExchange(before, call, effect);
        Reply reply = effect.answer();
        seen.add(reply.status().name());
        if (CustodyRules.tooLate(reply) > 0) {
            seen.add("settled too late");
        }
        return before.with(effect.stored()).with(process, heard.apply(reply));
    }

    private static CustodyProcess answered(CustodyProcess process, Exchange call, Reply reply) {
        CustodyRules.checkAnswer(reply);
        SortedMap<String, String> held = new TreeMap<>(process.held());
        call.deliveries().forEach(delivery -> held.remove(delivery.token()));
        reply.claimed().forEach(job -> held.put(job.token(), text(job.payload())));
        CustodyProcess answered = process.answered(held);
        return reply.status() == Status.FENCED ? answered.renewed() : answered;
    }

    private CustodyState reap(CustodyState before, CustodyReaper reaper) {
        Reap call = reaper.next();
        Change<Boolean> forgotten = scripts.reap(before.contents(), call);
        rules.checkReaping(before.contents(), call, forgotten);
        seen.add(whatIsReaped(before.contents(), call));
        return before.with(forgotten.stored()).with(reaper, reaper.afterwards());
    }

    private static String whatIsReaped(Contents before, Reap call) {
        if (!before.isGivenUp(call.victim())) {
            return "not to be reaped";
        }
        return before.inFlight(call.victim()).containsKey(call.token()) ? "reaped" : "reaped nothing";
    }
}
