package dev.jobs.redis;

import dev.jobs.redis.CustodyCall.Delivery;
import dev.jobs.redis.CustodyCall.Exchange;
import dev.jobs.redis.CustodyCall.Registration;
import dev.jobs.redis.Program.Pulse;
import dev.jobs.redis.Program.Task;
import dev.jobs.redis.Settlement.What;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A process and what it knows.
 *
 * @param life how often it began anew: it was given up, or could not know whether it was registered
 * @param task the one that comes next, or that has no answer yet
 * @param held the payloads of the jobs that it has, by token
 * @param waiting whether its exchange was sent and has no answer yet
 * @param faults how many of its calls may yet go wrong on their way
 * @param late its registrations and copies of its exchanges that are still on their way
 */
record CustodyProcess(
        Program program,
        int life,
        boolean registered,
        int task,
        int pulse,
        SortedMap<String, String> held,
        boolean waiting,
        int faults,
        List<CustodyCall> late) {

    static CustodyProcess of(Program program) {
        return new CustodyProcess(program, 0, false, 0, 0, new TreeMap<>(), false, program.faults(), List.of());
    }

    String incarnation() {
        return program.name() + life;
    }

    boolean hasTask() {
        return task < program.tasks().size();
    }

    Task nextTask() {
        return program.tasks().get(task);
    }

    boolean hasExchange() {
        return registered && hasTask() && !nextTask().leaves();
    }

    boolean hasPulse() {
        boolean gone = task > 0 && program.tasks().get(task - 1).leaves();
        return pulse < program.pulses().size() && !gone;
    }

    Pulse nextPulse() {
        return program.pulses().get(pulse);
    }

    /** The same one as long as it has no answer. */
    Exchange exchange() {
        List<Delivery> deliveries = new ArrayList<>();
        List<What> outcomes = nextTask().outcomes();
        held.forEach((token, payload) -> {
            if (deliveries.size() < outcomes.size()) {
                deliveries.add(new Delivery(outcomes.get(deliveries.size()), token, payload));
            }
        });
        return new Exchange(incarnation(), task + 1, nextTask().want(), deliveries);
    }

    CustodyProcess joined() {
        return new CustodyProcess(program, life, true, task, pulse, held, false, faults, late);
    }

    CustodyProcess beaten() {
        return new CustodyProcess(program, life, registered, task, pulse + 1, held, waiting, faults, late);
    }

    /** Was told that it was given up. */
    CustodyProcess renewed() {
        int next = waiting ? task + 1 : task;
        return new CustodyProcess(program, life + 1, false, next, pulse, new TreeMap<>(), false, faults, late)
                .withoutIdleTasks();
    }

    CustodyProcess answered(SortedMap<String, String> nowHeld) {
        return new CustodyProcess(program, life, registered, task + 1, pulse, nowHeld, false, faults, late)
                .withoutIdleTasks();
    }

    CustodyProcess adopting(SortedMap<String, String> nowHeld) {
        return new CustodyProcess(program, life, registered, task, pulse, nowHeld, waiting, faults, late);
    }

    /** The answer to its exchange is lost. */
    CustodyProcess unheard() {
        return new CustodyProcess(program, life, registered, task, pulse, held, true, faults - 1, late);
    }

    /** The answer to an exchange doesn't come, since the exchange is still on its way. */
    CustodyProcess delayed(Exchange exchange) {
        return unheard().expecting(exchange);
    }

    /** The answer to a registration doesn't come, since the registration is still on its way: it goes on under another name. */
    CustodyProcess delayed(Registration registration) {
        return new CustodyProcess(program, life + 1, false, task, pulse, held, false, faults - 1, late)
                .expecting(registration);
    }

    private CustodyProcess expecting(CustodyCall call) {
        List<CustodyCall> more = new ArrayList<>(late);
        more.add(call);
        return new CustodyProcess(program, life, registered, task, pulse, held, waiting, faults, more);
    }

    CustodyProcess without(CustodyCall arrived) {
        List<CustodyCall> rest = new ArrayList<>(late);
        rest.remove(arrived);
        return new CustodyProcess(program, life, registered, task, pulse, held, waiting, faults, rest);
    }

    /** The calls of one kind that are still on their way. */
    <C extends CustodyCall> List<C> late(Class<C> kind) {
        return late.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Who has nothing to settle makes no call. */
    private CustodyProcess withoutIdleTasks() {
        int next = task;
        while (held.isEmpty()
                && next < program.tasks().size()
                && program.tasks().get(next).onlySettles()) {
            next++;
        }
        return new CustodyProcess(program, life, registered, next, pulse, held, waiting, faults, late);
    }
}
