package dev.jobs.store;

import dev.jobs.store.InterleavingCall.Delivery;
import dev.jobs.store.InterleavingCall.Exchange;
import dev.jobs.store.InterleavingCall.Registration;
import dev.jobs.store.ProcessPlan.Pulse;
import dev.jobs.store.ProcessPlan.Task;
import dev.jobs.store.Settlement.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The state of a process.
 *
 * @param life how often it took a new identity, because it was given up or did not know whether it was registered
 * @param task the index of the next task, or of the one without an answer
 * @param held the payloads of its jobs, by token
 * @param waiting whether its exchange was sent and not answered yet
 * @param faults how many more of its calls may be lost or delayed
 * @param late its delayed registrations and copies of exchanges
 */
record InterleavingProcess(
        ProcessPlan plan,
        int life,
        boolean registered,
        int task,
        int pulse,
        SortedMap<String, String> held,
        boolean waiting,
        int faults,
        List<InterleavingCall> late) {

    static InterleavingProcess of(ProcessPlan plan) {
        return new InterleavingProcess(plan, 0, false, 0, 0, new TreeMap<>(), false, plan.faults(), List.of());
    }

    String incarnation() {
        return plan.name() + life;
    }

    boolean hasTask() {
        return task < plan.tasks().size();
    }

    Task nextTask() {
        return plan.tasks().get(task);
    }

    boolean hasExchange() {
        return registered && hasTask() && !nextTask().leaves();
    }

    boolean hasPulse() {
        boolean gone = task > 0 && plan.tasks().get(task - 1).leaves();
        return pulse < plan.pulses().size() && !gone;
    }

    Pulse nextPulse() {
        return plan.pulses().get(pulse);
    }

    /** The current exchange; the same one until it is answered. */
    Exchange exchange() {
        List<Delivery> deliveries = new ArrayList<>();
        List<Kind> outcomes = nextTask().outcomes();
        held.forEach((token, payload) -> {
            if (deliveries.size() < outcomes.size()) {
                deliveries.add(new Delivery(outcomes.get(deliveries.size()), token, payload));
            }
        });
        return new Exchange(incarnation(), task + 1, nextTask().want(), deliveries);
    }

    InterleavingProcess joined() {
        return new InterleavingProcess(plan, life, true, task, pulse, held, false, faults, late);
    }

    InterleavingProcess beaten() {
        return new InterleavingProcess(plan, life, registered, task, pulse + 1, held, waiting, faults, late);
    }

    /** It learned that it was given up. */
    InterleavingProcess renewed() {
        int next = waiting ? task + 1 : task;
        return new InterleavingProcess(plan, life + 1, false, next, pulse, new TreeMap<>(), false, faults, late)
                .withoutIdleTasks();
    }

    InterleavingProcess answered(SortedMap<String, String> nowHeld) {
        return new InterleavingProcess(plan, life, registered, task + 1, pulse, nowHeld, false, faults, late)
                .withoutIdleTasks();
    }

    InterleavingProcess adopting(SortedMap<String, String> nowHeld) {
        return new InterleavingProcess(plan, life, registered, task, pulse, nowHeld, waiting, faults, late);
    }

    /** The answer to its exchange is lost. */
    InterleavingProcess unheard() {
        return new InterleavingProcess(plan, life, registered, task, pulse, held, true, faults - 1, late);
    }

    /** An exchange is delayed, so its answer is missing. */
    InterleavingProcess delayed(Exchange exchange) {
        return unheard().expecting(exchange);
    }

    /** A registration is delayed, so its answer is missing: the process continues under another name. */
    InterleavingProcess delayed(Registration registration) {
        return new InterleavingProcess(plan, life + 1, false, task, pulse, held, false, faults - 1, late)
                .expecting(registration);
    }

    private InterleavingProcess expecting(InterleavingCall call) {
        List<InterleavingCall> more = new ArrayList<>(late);
        more.add(call);
        return new InterleavingProcess(plan, life, registered, task, pulse, held, waiting, faults, more);
    }

    InterleavingProcess without(InterleavingCall arrived) {
        List<InterleavingCall> rest = new ArrayList<>(late);
        rest.remove(arrived);
        return new InterleavingProcess(plan, life, registered, task, pulse, held, waiting, faults, rest);
    }

    /** The delayed calls of one kind. */
    <C extends InterleavingCall> List<C> late(Class<C> kind) {
        return late.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** A process with nothing to settle makes no call. */
    private InterleavingProcess withoutIdleTasks() {
        int next = task;
        while (held.isEmpty()
                && next < plan.tasks().size()
                && plan.tasks().get(next).onlySettles()) {
            next++;
        }
        return new InterleavingProcess(plan, life, registered, next, pulse, held, waiting, faults, late);
    }
}
