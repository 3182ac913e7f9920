package dev.jobs.encryption;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobCall;
import dev.jobs.JobContext;
import dev.jobs.JobFailedException;
import dev.jobs.JobHandle;
import dev.jobs.JobHooks;
import dev.jobs.JobRegistry;
import dev.jobs.JobResult;
import dev.jobs.Payload;
import dev.jobs.SealedArgumentsException;
import dev.jobs.admin.JobRecord;
import dev.jobs.admin.JobSet;
import dev.jobs.admin.ListedJob;
import dev.jobs.admin.ScanBudget;
import dev.jobs.assembly.EngineTestBed;
import dev.jobs.assembly.RedisJobClient;
import dev.jobs.batches.BatchFailures;
import dev.jobs.batches.RedisBatches;
import dev.jobs.client.ClientConfig;
import dev.jobs.deaths.JobDeaths;
import dev.jobs.deaths.OnDeath;
import dev.jobs.engine.JobLog;
import dev.jobs.limits.Limit;
import dev.jobs.recurring.Recurrence;
import dev.jobs.recurring.RedisRecurringJobs;
import dev.jobs.testing.LogLines;
import dev.jobs.testing.RedisFixture;
import dev.jobs.unique.Unique;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Encrypted arguments, from the call to the dead set. */
class EncryptionIT {

    private static final String SECRET = "QK7-sesame-0815";
    private static final String INNER = "Dr Jekyll alias Hyde";

    @AutoClose
    @RegisterExtension
    static final RedisFixture redis = RedisFixture.start();

    @RegisterExtension
    private final LogLines lines = LogLines.ofPackage("dev.jobs");

    /** Turned off for other tests. */
    @RegisterExtension
    private final LogLines ends = LogLines.of(JobLog.class);

    private final Bank bank = new Bank();

    @AutoClose
    private final EngineTestBed bed = new EngineTestBed(redis);

    @AfterEach
    void everyJobIsAccountedFor() {
        bed.stopEngines();
        assertThat(bed.books().conservationError()).isZero();
    }

    record Payee(String name, Map<String, String> notes) {}

    static final class Bank {

        final List<String> ran = new CopyOnWriteArrayList<>();

        @Job("Pay")
        @Encrypted
        void pay(String iban, Payee payee) {
            ran.add(iban + " of " + payee.name() + " " + payee.notes());
        }

        @Job(value = "Fail", retry = 1, backtrace = 20)
        @Encrypted String fail(String iban, JobContext job) {
            job.log("paying to " + iban);
            job.message("now " + iban);
            throw new IllegalStateException("no account " + iban, new IOException("bank said " + iban));
        }

        @Job("Refuse")
        @Encrypted
        void refuse(String iban) {
            throw new JobFailedException("no account " + iban);
        }

        @Job(value = "Drop", retry = Job.NONE)
        @Encrypted
        void drop(String iban) {
            ran.add("dropped " + iban);
        }

        @Job("Once")
        @Encrypted @Unique(key = "{iban}")
        void once(String iban, int attempt) {
            ran.add("once " + attempt);
        }

        @Job(value = "Die", retry = 0)
        @Encrypted
        void die(String iban) {
            throw new IllegalStateException(iban);
        }

        @OnDeath("die")
        void died(String iban, Throwable why) {
            ran.add("buried " + iban + " " + why.getMessage());
        }

        @Job("Limited")
        @Encrypted @Limit(name = "bank", concurrency = 1)
        void limited(String iban) {
            ran.add("limited " + iban);
        }

        @Job("Tick")
        @Encrypted
        void tick() {
            ran.add("tick");
        }
    }

    static final class Plain {

        final List<String> ran = new CopyOnWriteArrayList<>();

        @Job("Pay")
        void pay(String iban, Payee payee) {
            ran.add(iban);
        }
    }

    private static byte[] key(int seed) {
        byte[] key = new byte[32];
        key[0] = (byte) seed;
        return key;
    }

    private static EncryptionKeys keys(String active, String... ids) {
        Map<String, byte[]> keys = new LinkedHashMap<>();
        for (String id : ids) {
            keys.put(id, key(id.hashCode()));
        }
        return EncryptionKeys.of(active, keys, new byte[16]);
    }

    private static JobRegistry with(EncryptionKeys keys, Object... jobs) {
        return JobRegistry.of(jobs).withSeal(new JobEncryption(keys));
    }

    private final JobRegistry jobs = with(keys("k1", "k1"), bank);

    /** What Redis hears, from now on. */
    private static final class Monitor implements AutoCloseable {

        private final Socket socket;
        private final StringBuffer heard = new StringBuffer();

        Monitor(int port) throws IOException {
            socket = new Socket("127.0.0.1", port);
            socket.getOutputStream().write("MONITOR\r\n".getBytes(UTF_8));
            BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
            assertThat(lines.readLine()).isEqualTo("+OK");
            Thread reader = new Thread(() -> lines.lines().forEach(heard::append));
            reader.setUncaughtExceptionHandler((thread, closed) -> {});
            reader.start();
        }

        String heard() {
            return heard.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close(); // which ends the reader
        }
    }

    private String stored() {
        StringBuilder all = new StringBuilder();
        redis.texts().configSet("rdbcompression", "no");
        redis.snapshot().forEach((key, value) -> all.append(key)
                .append(' ')
                .append(new String(HexFormat.of().parseHex(value), ISO_8859_1))
                .append('\n'));
        return all.toString();
    }

    private String logged() {
        StringBuilder all = new StringBuilder();
        for (ILoggingEvent each :
                Stream.concat(lines.events().stream(), ends.events().stream()).toList()) {
            all.append(each.getFormattedMessage()).append('\n');
            if (each.getThrowableProxy() != null) {
                all.append(ThrowableProxyUtil.asString(each.getThrowableProxy()));
            }
        }
        return all.toString();
    }

    private static Payee payee() {
        return new Payee(INNER, Map.of(SECRET, INNER));
    }

    private List<JobRecord> in(JobSet set) {
        return bed.admin().sets().jobs(set, job -> true, 0, 10, ScanBudget.standard()).items().stream()
                .map(ListedJob::job)
                .toList();
    }

    private Payload only(JobSet set) {
        await().until(() -> in(set).size() == 1);
        return in(set).get(0).payload();
    }

    private Payload queued() {
        return Payload.parse(redis.bytes().lindex("queue:default".getBytes(UTF_8), 0));
    }

    private void run() {
        bed.start(jobs);
        bed.awaitDrained("default");
        bed.stopEngines();
    }

    @Test
    void redisNeverSeesAnArgument() throws Exception {
        try (Monitor monitor = new Monitor(redis.port())) {
            RedisJobClient client = bed.client(jobs);
            RedisBatches batches = new RedisBatches(bed.connections(), client, new SecureRandom());
            bed.batches = batches;
            client.enqueue(Bank::pay, SECRET, payee());
            client.in(Duration.ofHours(1)).enqueue(Bank::pay, SECRET, payee());
            client.enqueueAll("Pay", List.of(List.of(SECRET, payee()), List.of(SECRET, payee())));
            client.enqueue(Bank::once, SECRET, 1);
            client.unique(SECRET).enqueue(Bank::drop, SECRET);
            client.debounce(SECRET, Duration.ofHours(1), Duration.ofHours(1)).enqueue(Bank::drop, SECRET);
            client.submit("Fail", String.class, SECRET);
            client.encrypted().enqueue("Elsewhere", SECRET);
            client.enqueue(Bank::die, SECRET);
            batches.create("payouts", batch -> batch.add(JobCall.named("Refuse", SECRET))
                    .add(JobCall.named("Fail", SECRET))
                    .onSuccess(JobCall.named("Pay", SECRET, payee())));

            assertThat(stored()).contains("\"encrypted\":{\"v\":1,\"kid\":\"k1\",\"alg\":\"A256GCM\"}");
            assertThat(stored()).doesNotContain(SECRET, INNER, "Jekyll", "\"encrypt\"");
            run();

            assertThat(bank.ran)
                    .contains(
                            SECRET + " of " + INNER + " {" + SECRET + "=" + INNER + "}", "once 1", "dropped " + SECRET);
            assertThat(in(JobSet.RETRY)).hasSize(3);
            assertThat(stored()).doesNotContain(SECRET, INNER, "Jekyll");
            assertThat(in(JobSet.DEAD)).hasSize(1);
            for (JobRecord each : in(JobSet.RETRY)) {
                bed.admin().sets().runNow(JobSet.RETRY, each.payload().bytes());
            }
            run();
            for (JobRecord each : in(JobSet.RETRY)) {
                bed.admin().sets().kill(JobSet.RETRY, each.payload().bytes());
            }

            assertThat(in(JobSet.DEAD))
                    .hasSize(4)
                    .filteredOn(dead -> !"Elsewhere".equals(dead.payload().name()))
                    .allSatisfy(dead -> assertThat(new String(dead.payload().bytes(), UTF_8))
                            .contains(
                                    "\"error_class\":\"java.lang.IllegalStateException\"",
                                    "\"error_message\":\"•••\""));
            assertThat(bank.ran)
                    .filteredOn(each -> each.startsWith(SECRET + " of"))
                    .hasSizeGreaterThanOrEqualTo(3);
            assertThat(stored()).doesNotContain(SECRET, INNER, "Jekyll");
            redis.texts().set("the end", "");
            await().until(() -> monitor.heard().contains("the end"));
            assertThat(monitor.heard()).contains("A256GCM").doesNotContain(SECRET, INNER, "Jekyll");
            batches.close();
        }
        assertThat(logged())
                .contains("fail Fail", "java.lang.IllegalStateException: •••", "Caused by: java.io.IOException: •••")
                .doesNotContain(SECRET, INNER, "Jekyll");
    }

    /** Its digest would be the same for everybody who guesses the argument. */
    @Test
    void aUniqueJobIsFoundByADigestThatNobodyCanGuess() {
        RedisJobClient client = bed.client(jobs);
        assertThat(client.enqueue(Bank::once, SECRET, 1)).isNotNull();

        assertThat(client.enqueue(Bank::once, SECRET, 2)).isNull();
        assertThat(client.enqueue(Bank::once, "another", 3)).isNotNull();
        assertThat(redis.texts().keys("*" + dev.jobs.unique.UniqueRule.digest("Once", SECRET) + "*"))
                .isEmpty();
        run();
        assertThat(bank.ran).containsExactlyInAnyOrder("once 1", "once 3");
        assertThat(client.enqueue(Bank::once, SECRET, 4)).isNotNull();
    }

    @Test
    void oldKeysDecryptAndTheActiveOneEncrypts() {
        bed.client(jobs).enqueue(Bank::pay, "old", payee());
        JobRegistry rotated = with(keys("k2", "k1", "k2"), bank);
        bed.client(rotated).enqueue(Bank::pay, "new", payee());

        assertThat(queued().get("encrypted")).asString().contains("k2");
        bed.start(rotated);
        bed.awaitDrained("default");
        assertThat(bank.ran).hasSize(2);
    }

    /** During a deploy, and for as long as jobs of the version before wait. */
    @Test
    void bothFormsAreReadWhateverTheMethodSays() {
        Plain plain = new Plain();
        JobRegistry before = with(keys("k1", "k1"), plain);
        bed.client(before).enqueue(Plain::pay, "plain", payee());
        bed.client(jobs).enqueue(Bank::pay, "sealed", payee());
        run();
        bed.client(jobs).enqueue(Bank::pay, "sealed", payee());
        bed.start(before);
        bed.awaitDrained("default");

        assertThat(bank.ran).hasSize(2);
        assertThat(plain.ran).containsExactly("sealed");
    }

    @Test
    void withoutItsKeyAJobIsRetriedAndRunsOnceTheKeyIsThere() {
        bed.client(jobs).enqueue(Bank::pay, SECRET, payee());
        bed.start(with(keys("k2", "k2"), bank));
        Payload waiting = only(JobSet.RETRY);
        bed.stopEngines();

        assertThat(waiting.text("error_message"))
                .contains("are encrypted with the key 'k1', which this application doesn't have");
        assertThat(waiting.text("error_class")).isEqualTo(SealedArgumentsException.class.getName());
        bed.admin().sets().runNow(JobSet.RETRY, waiting.bytes());
        run();
        assertThat(bank.ran).hasSize(1);
    }

    @Test
    void withoutAnyKeyAndWithoutRetriesAJobGoesToTheDeadSet() {
        bed.client(jobs).enqueue(Bank::drop, SECRET);
        bed.start(bank);
        Payload dead = only(JobSet.DEAD);
        bed.stopEngines();

        assertThat(dead.text("error_message")).contains("'k1', which this application doesn't have");
        bed.admin().sets().runNow(JobSet.DEAD, dead.bytes());
        run();
        assertThat(bank.ran).containsExactly("dropped " + SECRET);
    }

    @Test
    void keysThatCantBeHadAreNoReasonToLoseAJob() {
        bed.client(jobs).enqueue(Bank::drop, SECRET);
        bed.start(with(
                new EncryptionKeys() {
                    @Override
                    public String active(Payload job) {
                        return "k1";
                    }

                    @Override
                    public @Nullable SecretKey find(String id) {
                        throw new IllegalStateException("the key service is down");
                    }
                },
                bank));

        assertThat(only(JobSet.DEAD).text("error_message")).contains("'k1', which can't be had");
        assertThat(logged()).contains("Caused by: java.lang.IllegalStateException: the key service is down");
    }

    private List<String> failuresOf(RedisBatches batches, String batch) {
        return bed
                .admin()
                .batches()
                .failures(batches.find(batch).orElseThrow(), ScanBudget.standard())
                .groups()
                .stream()
                .map(BatchFailures.Group::message)
                .toList();
    }

    @Test
    void batchesAndResultsHaveTheClassOfAFailureAndWhichKeyIsMissing() throws Exception {
        RedisJobClient client = bed.client(jobs);
        RedisBatches batches = new RedisBatches(bed.connections(), client, new SecureRandom());
        bed.batches = batches;
        String failing = batches.create("failing", batch -> batch.add(JobCall.named("Die", SECRET)));
        run();
        assertThat(failuresOf(batches, failing)).containsExactly("java.lang.IllegalStateException: •••");

        String unreadable = batches.create("unreadable", batch -> batch.add(JobCall.named("Drop", SECRET)));
        JobHandle<String> handle = client.submit("Drop", String.class, SECRET);
        bed.start(with(keys("k2", "k2"), bank));
        JobResult<String> result = handle.await(Duration.ofSeconds(20));
        bed.awaitDrained("default");
        bed.stopEngines();

        assertThat(result.message()).contains("'k1', which this application doesn't have");
        assertThat(failuresOf(batches, unreadable))
                .singleElement()
                .asString()
                .startsWith(SealedArgumentsException.class.getName() + ": ")
                .contains("'k1', which this application doesn't have");
        batches.close();
    }

    private void damaged(UnaryOperator<Payload> change) {
        bed.client(jobs).enqueue(Bank::drop, SECRET);
        runChanged(change);
    }

    private void runChanged(UnaryOperator<Payload> change) {
        Payload changed = change.apply(queued());
        redis.texts().del("queue:default");
        bed.push("default", new String(changed.bytes(), UTF_8));
        run();

        assertThat(bank.ran).isEmpty();
        assertThat(in(JobSet.DEAD)).hasSize(1);
        assertThat(only(JobSet.DEAD).text("error_message")).contains("can't be decrypted with it");
    }

    @Test
    void changedArgumentsGoToTheDeadSet() {
        damaged(job -> {
            String text = String.valueOf(job.args().get(0));
            return job.with(
                    "args", List.of(text.substring(0, 30) + (text.charAt(30) == 'A' ? 'B' : 'A') + text.substring(31)));
        });
    }

    @Test
    void aDamagedJobIsNotRetried() {
        bed.client(jobs).enqueue(Bank::pay, SECRET, payee());
        runChanged(job -> job.with("args", List.of("AAAA")));
    }

    @Test
    void argumentsOfAnotherFormGoToTheDeadSet() {
        damaged(job -> job.with("args", List.of("no base64!")));
    }

    @Test
    void argumentsOfAnotherJobGoToTheDeadSet() {
        damaged(job -> job.with("jid", "another"));
    }

    @Test
    void argumentsOfAJobOfAnotherNameGoToTheDeadSet() {
        damaged(job -> job.with("class", "Pay"));
    }

    @Test
    void theLastWordHasTheArguments() {
        bed.deathHandlers.add(new JobDeaths(jobs, new dev.jobs.ArgumentMasking(jobs, List.of()), JobHooks.none()));
        bed.client(jobs).enqueue(Bank::die, SECRET);
        run();

        assertThat(bank.ran).containsExactly("buried " + SECRET + " " + SECRET);
        assertThat(stored()).doesNotContain(SECRET);
    }

    @Test
    void limitsCancellingAndExpiryNeedNoArguments() {
        RedisJobClient client = bed.client(jobs);
        client.enqueue(Bank::limited, SECRET);
        client.enqueue(Bank::limited, SECRET);
        client.cancel(String.valueOf(client.enqueue(Bank::drop, SECRET)));
        client.expiresIn(Duration.ofMillis(1)).enqueue(Bank::drop, SECRET);
        await().until(() -> Payload.parse(redis.bytes().lindex("queue:default".getBytes(UTF_8), 0))
                .time("expiry")
                .isBefore(java.time.Instant.now()));
        run();

        assertThat(bank.ran).containsExactly("limited " + SECRET, "limited " + SECRET);
        assertThat(stored()).doesNotContain(SECRET);
    }

    /** There is nothing to hide. */
    @Test
    void aJobWithoutArgumentsIsStoredAsItIs() {
        bed.client(jobs).enqueue(Bank::tick);

        assertThat(queued().names()).doesNotContain("encrypt", "encrypted");
        run();
        assertThat(bank.ran).containsExactly("tick");
    }

    @Test
    void eachTenantMayHaveAKeyOfItsOwn() {
        List<String> asked = new ArrayList<>();
        EncryptionKeys tenants = new EncryptionKeys() {
            @Override
            public String active(Payload job) {
                asked.add(String.valueOf(job.args().get(0)));
                return "tenant/" + job.get("tenant");
            }

            @Override
            public SecretKey find(String id) {
                return EncryptionKeys.aes(key(id.hashCode()));
            }
        };
        JobRegistry registry = with(tenants, bank);
        bed.client(registry).with("tenant", "acme").enqueue(Bank::pay, SECRET, payee());

        assertThat(asked).containsExactly(SECRET);
        assertThat(queued().get("encrypted")).asString().contains("tenant/acme");
        bed.start(registry);
        bed.awaitDrained("default");
        assertThat(bank.ran).hasSize(1);
    }

    @Test
    void keysAreFetchedOnlyByThreadsThatRunJobs() {
        List<String> threads = new CopyOnWriteArrayList<>();
        JobRegistry registry = with(
                new EncryptionKeys() {
                    @Override
                    public String active(Payload job) {
                        return "k";
                    }

                    @Override
                    public SecretKey find(String id) {
                        threads.add(Thread.currentThread().getName());
                        return EncryptionKeys.aes(key(1));
                    }
                },
                bank);
        RedisJobClient client = bed.client(registry);
        bed.start(registry);
        for (int i = 0; i < 5; i++) { // one by one: each is claimed by an idle worker
            threads.clear();
            int ran = i + 1;
            client.enqueue(Bank::limited, SECRET);
            await().until(() -> bank.ran.size() == ran);
            assertThat(threads).last().asString().matches("jobs-default-\\d+");
            assertThat(threads).allMatch(name -> name.equals("main") || name.matches("jobs-default-\\d+"));
        }
        bed.awaitDrained("default");
    }

    @Test
    void callsThatCantBeEncryptedAreRefused() {
        assertThatThrownBy(() -> bed.client(bank).enqueue(Bank::pay, SECRET, payee()))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("job Pay: its arguments are to be encrypted, and there is no key");
        EncryptionKeys bare = EncryptionKeys.of("k1", Map.of("k1", key(1)), null);
        assertThatThrownBy(() -> bed.client(with(bare, bank)).unique("x").enqueue(Bank::pay, SECRET, payee()))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("jobs.encryption.digest-key");
        RedisRecurringJobs recurring = new RedisRecurringJobs(
                bed.connections(), jobs, JobHooks.none(), ClientConfig.defaults(), new SecureRandom(), "default");
        assertThatThrownBy(() -> recurring.save("pay", Recurrence.cron("0 5 * * *"), JobCall.named("Drop", SECRET)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("a recurring job is stored with its arguments as they are");
        recurring.save("tick", Recurrence.cron("0 5 * * *"), JobCall.named("Tick"));
        recurring.runNow("tick");
        run();
        assertThat(bank.ran).containsExactly("tick");
        assertThat(stored()).doesNotContain(SECRET);
    }

    @Test
    void aCopyOfAnEncryptedPayloadIsNotEncryptedTwice() {
        RedisJobClient client = bed.client(jobs);
        client.enqueue(Bank::drop, SECRET);
        Payload stored = queued();
        redis.texts().del("queue:default");

        client.push(stored.asMap());

        assertThat(queued().args()).isEqualTo(stored.args());
        run();
        assertThat(bank.ran).containsExactly("dropped " + SECRET);
    }
}
