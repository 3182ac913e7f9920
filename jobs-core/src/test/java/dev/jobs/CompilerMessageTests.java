package dev.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the compiler prints about calls by method reference. */
class CompilerMessageTests {

    private static final String NUMBERS = "1, 2, 3, 4, 5, 6, 7";

    @TempDir
    Path classes;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobs.enqueue(Emails::number, 5)",
                "jobs.enqueue(Emails::inContext, 5)",
                "jobs.enqueue(Emails::two, \"bob\", 5)",
                "jobs.enqueue(Emails::two, \"bob\")",
                "jobs.enqueue(Emails::two)",
                "jobs.enqueue(Emails::none, 5)",
                "String jid = jobs.in(Duration.ZERO).enqueue(Emails::number, 5)",
                "jobs.enqueueAll(Emails::number, List.of(1, 2))",
                "jobs.enqueueAll(Emails::two, List.of(\"bob\"))",
                "JobCall.of(Emails::number, 5).queue(\"low\")",
                "jobs.submitAll(Emails::number, Void.class, List.of(1, 2))",
                "batches.create(\"all\", batch -> batch.add(JobCall.of(Emails::two, \"bob\", 5)))",
                "recurring.save(\"daily\", Recurrence.cron(\"@daily\"), JobCall.of(Emails::number, 5))",
            })
    void saysShortlyThatArgumentsDoNotFit(String call) {
        assertThat(compile(call))
                .contains("ArgumentsDoNotFitTheParameters")
                .contains(call)
                .satisfies(CompilerMessageTests::isShort);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobs.enqueue(Emails::seven, " + NUMBERS + ")",
                "jobs.enqueue(Emails::seven, " + NUMBERS + ", 8, 9)",
                "JobCall.of(Emails::seven, " + NUMBERS + ")",
                "recurring.save(\"daily\", Recurrence.cron(\"@daily\"), JobCall.of(Emails::seven, " + NUMBERS + "))",
            })
    void saysShortlyThatMoreThanSixArgumentsNeedARecord(String call) {
        assertThat(compile(call))
                .contains("MoreThanSixArgumentsNeedARecord")
                .contains(call)
                .satisfies(CompilerMessageTests::isShort);
    }

    /** The compiler repeats it for the type of the result. */
    @Test
    void saysThatArgumentsOfACallWithAResultDoNotFit() {
        assertThat(compile("jobs.submit(JobCall.of(Emails::number, 5), Void.class)"))
                .contains("ArgumentsDoNotFitTheParameters")
                .satisfies(messages -> assertThat(messages.lines()).hasSizeLessThan(20));
    }

    @Test
    void namesTheOverloadsOfAMethodThatHasSome() {
        assertThat(compile("jobs.enqueue(Emails::send, \"bob\", 5)"))
                .contains("no suitable method found for send")
                .contains("Emails.send(String,int)");
    }

    @Test
    void saysThatTheReferenceFitsSeveralOverloads() {
        assertThat(compile("jobs.enqueue(Emails::send, \"bob\")"))
                .contains("reference to enqueue is ambiguous")
                .contains("invalid method reference");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "JobMethod.P2<Emails, String, Integer> send = Emails::send; jobs.enqueue(send, \"bob\", 5)",
                "jobs.enqueue(Emails::number, 5L)",
                "jobs.enqueue(Emails::inContext, 5L)",
                "jobs.enqueue(Emails::none)",
                "jobs.enqueue(Emails::two, null, 5L)",
                "jobs.enqueue(Emails::text, null)",
                "jobs.enqueue(Emails::texts, null, new String[] {})",
                "jobs.enqueue(Emails::object, 5)",
                "jobs.enqueue(Emails::object, new Object[] {})",
                "jobs.enqueueAll(Emails::number, List.of(1L, 2L))",
                "JobCall.of(Emails::two, \"bob\", 5L)",
                "JobHandle<Long> sum = jobs.submit(JobCall.of(Emails::sum, 1L, 2L), Long.class)",
                "List<JobHandle<Long>> all = jobs.submitAll(Emails::twice, Long.class, List.of(1L, 2L))",
                "recurring.save(\"daily\", Recurrence.cron(\"@daily\"), JobCall.of(Emails::four, 1, 2, 3, 4))",
                "recurring.save(\"daily\", Recurrence.cron(\"@daily\"), JobCall.of(Emails::six, 1, 2, 3, 4, 5, 6))",
            })
    void acceptsArgumentsThatFit(String call) {
        assertThat(compile(call)).isEmpty();
    }

    private static void isShort(String messages) {
        assertThat(messages.lines()).hasSizeLessThanOrEqualTo(10);
    }

    /** What the compiler prints about a class that makes the call. */
    private String compile(String call) {
        String code = """
                import dev.jobs.*;
                import dev.jobs.batches.*;
                import dev.jobs.recurring.*;
                import java.time.Duration;
                import java.util.List;
                class Emails {
                    void none() {}
                    void number(long a) {}
                    void inContext(long a, JobContext job) {}
                    void two(String a, long b) {}
                    void text(String a) {}
                    void texts(String a, String[] b) {}
                    void object(Object a) {}
                    void four(int a, int b, int c, int d) {}
                    void six(int a, int b, int c, int d, int e, int f, JobContext job) {}
                    void seven(int a, int b, int c, int d, int e, int f, int g) {}
                    long sum(long a, long b) { return a + b; }
                    long twice(long a, JobContext job) { return 2 * a; }
                    void send(String a) {}
                    void send(String a, int b) {}
                }
                class Caller {
                    void call(JobClient jobs, Batches batches, RecurringJobs recurring) {
                        CALL;
                    }
                }
                """.replace("CALL", call);
        StringWriter printed = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> options =
                List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
        compiler.getTask(printed, null, null, options, null, List.of(new Source(code)))
                .call();
        return printed.toString();
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String code;

        Source(String code) {
            super(URI.create("string:///Caller.java"), Kind.SOURCE);
            this.code = code;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return code;
        }
    }
}
