package dev.jobs.faults;

/**
 * Decides what happens to commands and answers on a {@link FaultProxy}. Called on the thread that carries them, so time
 * spent here delays them, and an action here happens exactly at this point of the conversation.
 */
interface Fault {

    /** What happens to a command or an answer. */
    enum Delivery {
        /** It arrives. */
        PASS,
        /** Neither it nor anything after it arrives on this connection, which stays open. */
        MUTE,
        /** The connection is closed instead. */
        CUT,
        /** The connection is reset instead. */
        RESET,
        /** Half of it arrives, then the connection is closed. */
        TORN
    }

    /** Nothing happens. */
    Fault NONE = new Fault() {};

    /** A command is about to be passed on to Redis. */
    default Delivery command(Command command) {
        return Delivery.PASS;
    }

    /** The answer to a command is about to be passed on to the client. */
    default Delivery answer(Command command) {
        return Delivery.PASS;
    }
}
