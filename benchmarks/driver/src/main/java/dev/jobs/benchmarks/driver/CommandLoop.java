package dev.jobs.benchmarks.driver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Reads commands, one per line, and answers each with one line of JSON, until the input ends. If it ends during a
 * command, the harness is gone and doesn't wait for the answer, so the process ends.
 */
public final class CommandLoop {

    private static final String END = "";

    private final PrintStream answers;
    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    private volatile boolean busy = true;

    private CommandLoop(PrintStream answers) {
        this.answers = answers;
    }

    /** The program of a process. */
    public interface Program {

        /** The first line of its output. */
        Answer greeting();

        /** @param words a command and its arguments */
        Answer perform(List<String> words) throws Exception;

        void close() throws Exception;
    }

    /** Creates the program. */
    public interface Start {
        Program program() throws Exception;
    }

    /** Runs the program to its end, and ends the process. The program's own output goes to standard error. */
    public static void run(Start start) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        new CommandLoop(answers).work(start);
        System.exit(0);
    }

    private void work(Start start) throws Exception {
        Thread reader = new Thread(this::read, "commands");
        reader.setDaemon(true);
        reader.start();
        Program program = start.program();
        try {
            answers.println(program.greeting());
            busy = false;
            for (String command = commands.take(); !command.equals(END); command = commands.take()) {
                busy = true;
                answers.println(answer(program, command));
                busy = false;
            }
        } finally {
            program.close();
        }
    }

    private static Answer answer(Program program, String command) {
        try {
            return program.perform(List.of(command.strip().split("\\s+")));
        } catch (UnsupportedOperationException e) {
            return new Answer().with("unsupported", String.valueOf(e.getMessage()));
        } catch (Exception | LinkageError e) {
            e.printStackTrace();
            return new Answer().with("error", e.toString());
        }
    }

    private void read() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isBlank()) {
                    commands.add(line);
                }
            }
        } catch (IOException e) {
            // counts as an end, too
        }
        if (busy) {
            end();
        }
        commands.add(END);
    }

    private static void end() {
        Thread impatience = new Thread(CommandLoop::haltSoon, "halt");
        impatience.setDaemon(true);
        impatience.start();
        System.exit(1);
    }

    private static void haltSoon() {
        Pauses.pause(Duration.ofSeconds(5));
        Runtime.getRuntime().halt(1);
    }
}
