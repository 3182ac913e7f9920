package dev.jobs.spring.autoconfigure.encryption;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobs.ArgumentSeal;
import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.JobDefinitionException;
import dev.jobs.JobRegistry;
import dev.jobs.Masked;
import dev.jobs.Payload;
import dev.jobs.encryption.Encrypted;
import dev.jobs.encryption.EncryptionKeys;
import dev.jobs.encryption.JobEncryption;
import dev.jobs.limits.Limit;
import dev.jobs.spring.autoconfigure.JobsContext;
import dev.jobs.spring.autoconfigure.beans.StartingBeans;
import dev.jobs.spring.autoconfigure.checks.WrongPropertiesException;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import dev.jobs.unique.Unique;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;

@ExtendWith(OutputCaptureExtension.class)
class EncryptionConfigurationTests {

    /** 32 bytes. */
    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private final ApplicationContextRunner runner = JobsContext.withoutWorker();

    static class Payouts {
        @Job("pay")
        @Encrypted
        void pay(String iban) {}
    }

    static class OnePayout {
        @Job("once")
        @Encrypted @Unique
        void once(String iban) {}
    }

    static class LimitedPayouts {
        @Job("limited")
        @Encrypted @Limit(name = "bank", key = "{iban}", concurrency = 1)
        void limited(String iban) {}
    }

    static class Pins {
        @Job("pin")
        @Unique
        void pin(@Masked String pin) {}

        @Job("order")
        @Unique(key = "{order}")
        void order(long order, @Masked String pin) {}
    }

    private static Payload job(String name) {
        return Payload.of(Map.of("class", name, "jid", "a1", "args", List.of("DE02"), "encrypt", true));
    }

    private static Payload sealed(JobRegistry jobs) {
        return jobs.sealed(job("pay"));
    }

    @Test
    void keysComeFromProperties() {
        runner.withBean(Payouts.class)
                .withPropertyValues("jobs.encryption.keys.2026-11=" + KEY, "jobs.encryption.digest-key=" + KEY)
                .run(context -> {
                    JobRegistry jobs = context.getBean(JobRegistry.class);
                    Payload sealed = sealed(jobs);

                    assertThat(ArgumentSeal.key(sealed)).isEqualTo("2026-11");
                    assertThat(new String(jobs.arguments(sealed), UTF_8)).isEqualTo("[\"DE02\"]");
                    assertThat(context.getBean(JobsProperties.class).toString()).doesNotContain(KEY);
                });
    }

    @Test
    void theActiveKeyEncryptsAndABeanHasPrecedence() {
        String[] two = {
            "jobs.encryption.keys.old=" + KEY, "jobs.encryption.keys.new=" + KEY, "jobs.encryption.active=new"
        };
        runner.withPropertyValues(two)
                .run(context -> assertThat(ArgumentSeal.key(sealed(context.getBean(JobRegistry.class))))
                        .isEqualTo("new"));
        runner.withPropertyValues(two)
                .withBean(EncryptionKeys.class, () -> EncryptionKeys.of("own", Map.of("own", new byte[32]), null))
                .run(context -> assertThat(ArgumentSeal.key(sealed(context.getBean(JobRegistry.class))))
                        .isEqualTo("own"));
    }

    private void failsToStart(Class<?> jobs, String what, String action, String... properties) {
        runner.withBean(jobs).withPropertyValues(properties).run(context -> {
            Throwable failure = NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure());
            assertThat(failure).isInstanceOf(JobDefinitionException.class).hasMessageContaining(what);
            assertThat(((JobDefinitionException) failure).action()).contains(action);
        });
    }

    @Test
    void jobsThatCantBeEncryptedEndTheStart() {
        String key = "jobs.encryption.keys.a=" + KEY;
        failsToStart(Payouts.class, "Payouts.pay can't be used: it is @Encrypted, and there is no key", "keys");
        failsToStart(Payouts.class, "there is no key", "keys", "jobs.encryption.digest-key=" + KEY);
        failsToStart(OnePayout.class, "it is @Encrypted and @Unique", "jobs.encryption.digest-key", key);
        failsToStart(LimitedPayouts.class, "names the parameter 'iban', which is @Encrypted", "remove @Encrypted", key);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobs.encryption.keys.a=c2hvcnQ=",
                "jobs.encryption.keys.a=???",
                "jobs.encryption.active=b",
                "jobs.encryption.digest-key=c2hvcnQ=",
                "jobs.encryption.keys[a b]=" + KEY
            })
    void wrongKeysEndTheStart(String property) {
        runner.withPropertyValues(property).run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(WrongPropertiesException.class)
                .hasMessageContaining("jobs.encryption.")
                .hasMessageNotContaining("c2hvcnQ="));
    }

    @Test
    void severalKeysNeedAnActiveOne() {
        runner.withPropertyValues("jobs.encryption.keys.a=" + KEY, "jobs.encryption.keys.b=" + KEY)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("jobs.encryption.active"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jobs.encryption.digest-key=" + KEY, "jobs.encryption.digest-key="})
    void anApplicationThatIsTurnedOffStartsWithoutKeys(String property, CapturedOutput output) {
        runner.withBean(Payouts.class)
                .withBean(OnePayout.class)
                .withBean(Pins.class)
                .withPropertyValues("jobs.enabled=false", property)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).doesNotContain("The locks of");
                    assertThatThrownBy(() -> sealed(context.getBean(JobRegistry.class)))
                            .isInstanceOf(InvalidJobException.class)
                            .hasMessageContaining("jobs.encryption.keys");
                });
    }

    @Test
    void aRegistryOfTheApplicationHasTheKeysToo() {
        runner.withBean(JobRegistry.class, () -> JobRegistry.of(new Payouts()))
                .withPropertyValues("jobs.encryption.keys.2026-11=" + KEY)
                .run(context -> {
                    JobRegistry jobs = context.getBean(JobRegistry.class);
                    Payload sealed = sealed(jobs);

                    assertThat(ArgumentSeal.key(sealed)).isEqualTo("2026-11");
                    assertThat(new String(jobs.arguments(sealed), UTF_8)).isEqualTo("[\"DE02\"]");
                });
    }

    @Test
    void aRegistryThatHasASealKeepsIt() {
        EncryptionKeys own = EncryptionKeys.of("own", Map.of("own", new byte[32]), null);
        runner.withBean(JobRegistry.class, () -> JobRegistry.of(new Payouts()).withSeal(new JobEncryption(own)))
                .withPropertyValues("jobs.encryption.keys.2026-11=" + KEY)
                .run(context -> assertThat(ArgumentSeal.key(sealed(context.getBean(JobRegistry.class))))
                        .isEqualTo("own"));
    }

    @Test
    void locksThatCanBeGuessedAreWarnedOf(CapturedOutput output) {
        runner.withBean(Pins.class)
                .run(context -> assertThat(output).contains("The locks of pin are digests of @Masked arguments"));
    }

    @Test
    void locksOfMaskedArgumentsHaveAKeyIfThereIsOne(CapturedOutput output) {
        UnaryOperator<Payload> locked = job -> job.with("unique_lock", "digest");
        runner.withBean(Pins.class)
                .withPropertyValues("jobs.encryption.digest-key=" + KEY)
                .run(context -> {
                    JobRegistry jobs = context.getBean(JobRegistry.class);
                    Payload plain =
                            locked.apply(Payload.of(Map.of("class", "pin", "jid", "a1", "args", List.of("0815"))));

                    assertThat(jobs.sealed(plain).text("unique_lock")).hasSize(43);
                    assertThat(jobs.storedDigest("pin", "digest"))
                            .isEqualTo(jobs.sealed(plain).text("unique_lock"));
                    assertThat(jobs.sealed(plain.with("class", "other")).text("unique_lock"))
                            .isEqualTo("digest");
                    assertThat(output).doesNotContain("The locks of");
                });
    }

    @Test
    void aThreadThatCreatesABeanDoesNotWaitForOneThatLooksUpTheSeal() throws Exception {
        StartingBeans beans = new StartingBeans();
        EncryptionKeys keys = EncryptionKeys.of("a", Map.of("a", new byte[32]), null);
        beans.registerBeanDefinition("seal", new RootBeanDefinition(ArgumentSeal.class, () -> new JobEncryption(keys)));
        JobRegistry jobs = JobRegistry.of(new Payouts());
        JobsEncryptionConfiguration.jobsRegistrySeal(beans.getBeanProvider(ArgumentSeal.class))
                .postProcessAfterInitialization(jobs, "jobs");

        beans.askFromTwoThreads(() -> sealed(jobs));
    }
}
