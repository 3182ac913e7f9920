package dev.jobs.spring.autoconfigure.checks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.spring.autoconfigure.checks.PropertyNames.Ineffective;
import dev.jobs.spring.autoconfigure.properties.JobsProperties;
import java.io.InputStream;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PropertyNamesTests {

    private final PropertyNames names = new PropertyNames();

    PropertyNamesTests() {
        names.add("jobs", JobsProperties.class);
    }

    @Test
    void everyPropertyOfTheMetadataIsKnown() throws Exception {
        for (var file : Collections.list(
                getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream metadata = file.openStream()) {
                for (JsonNode property : new JsonMapper().readTree(metadata).get("properties")) {
                    String name = property.get("name").asString();
                    if (name.startsWith("jobs.")) {
                        assertThat(names.check(name)).as(name).isNull();
                        assertThat(names.checkVariable(
                                        name.toUpperCase().replace("-", "").replace('.', '_')))
                                .as(name)
                                .isNull();
                    }
                }
            }
        }
    }

    /** The name of a group alone would have no effect either. */
    @Test
    void whoMeansAGroupIsShownItsProperties() {
        assertThat(names.check("jobs.timout"))
                .isEqualTo(new Ineffective(
                        "there is no such property; did you mean jobs.timeout.default or jobs.timeout.grace?", false));
        assertThat(names.checkVariable("JOBS_TIMEOUTS"))
                .isEqualTo(new Ineffective(
                        "there is no such property; did you mean jobs.timeout.default or jobs.timeout.grace?", false));
        assertThat(names.check("jobs.timout.default"))
                .isEqualTo(new Ineffective("there is no such property; did you mean jobs.timeout?", false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobs.queues",
                "jobs.queues[0]",
                "jobs.keyPrefix",
                "jobs.key_prefix",
                "jobs.timeout.default",
                "jobs.capsules.reports.queues[1]",
                "jobs.queue-limits.mail.concurrency",
                "jobs.queue-limits.mail_high.concurrency",
                "jobs.queue-limits.MailHigh.concurrency",
                "jobs.queue-limits[mail.high].concurrency",
                "jobs.queue-limits[mail:high].concurrency",
                "jobs.ordered-queues.imports",
                "jobs.ordered-queues[imports.eu]",
                "jobs.ordered-queues.imports.by",
                "jobs.ordered-queues.imports.weights.shop.17",
                "jobs.ordered-queues.imports.weights.shop_17",
                "jobs.ordered-queues.imports.weights[shop:17]",
                "jobs.limits.cpu", // Spring refuses it
                "jobs.embedded-redis.enabled", // of modules that may be missing
                "jobs.test.mode",
                "jobs.test.redis",
                "jobs.dashboard.path",
                "jobs.history.retention",
                "jobs.outbox.lanes",
                "jobs.docs.write",
                "jobs.interop.ruby",
                "jobs.mail.from", // of applications
                "jobs.url",
                "jobs"
            })
    void whatIsBoundOrMayBeTheApplicationsIsLeftAlone(String name) {
        assertThat(names.check(name)).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jobs.queue-limits.mail:high.concurrency | a name with such characters needs brackets: jobs.queue-limits[mail:high].concurrency, in YAML \"[mail:high]\" below jobs.queue-limits",
                "jobs.queueLimits.mail.high.concurrency  | a name with such characters needs brackets: jobs.queueLimits[mail.high].concurrency, in YAML \"[mail.high]\" below jobs.queueLimits",
                "jobs.queue-limits.a.b.c.concurrency     | a name with such characters needs brackets: jobs.queue-limits[a.b.c].concurrency, in YAML \"[a.b.c]\" below jobs.queue-limits",
                "jobs.queue-limits.-mail.concurrency     | a name with such characters needs brackets: jobs.queue-limits[-mail].concurrency, in YAML \"[-mail]\" below jobs.queue-limits",
                "jobs.ordered-queues.imports.eu          | a name with such characters needs brackets: jobs.ordered-queues[imports.eu], in YAML \"[imports.eu]\" below jobs.ordered-queues",
                "jobs.ordered-queues.imports:eu          | a name with such characters needs brackets: jobs.ordered-queues[imports:eu], in YAML \"[imports:eu]\" below jobs.ordered-queues",
                "jobs.ordered-queues.imports.eu.by       | a name with such characters needs brackets: jobs.ordered-queues[imports.eu].by, in YAML \"[imports.eu]\" below jobs.ordered-queues",
                "jobs.ordered-queues.imports.weights.a:b | a name with such characters needs brackets: jobs.ordered-queues.imports.weights[a:b], in YAML \"[a:b]\" below jobs.ordered-queues.imports.weights",
                "jobs.limits.erp.sync.concurrency        | a name with such characters needs brackets: jobs.limits[erp.sync].concurrency, in YAML \"[erp.sync]\" below jobs.limits",
                "jobs.capsules.eu.mail.queues            | a name with such characters needs brackets: jobs.capsules[eu.mail].queues, in YAML \"[eu.mail]\" below jobs.capsules",
                "jobs.queue-limits.default.concurency    | there is no such property; did you mean jobs.queue-limits.default.concurrency?",
                "jobs.queue-limits[mail.high].concurency | there is no such property; did you mean jobs.queue-limits[mail.high].concurrency?"
            })
    void whatIsNotInForceIsCertain(String name, String reason) {
        assertThat(names.check(name)).isEqualTo(new Ineffective(reason, true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jobs.concurency             | there is no such property; did you mean jobs.concurrency?",
                "jobs.quues[0]               | there is no such property; did you mean jobs.queues?",
                "jobs.queue-limit.a.b        | there is no such property; did you mean jobs.queue-limits?",
                "jobs.retry.max-atempts      | there is no such property; did you mean jobs.retry.max-attempts?",
                "jobs.retry.attempts         | there is no such property",
                "jobs.limits.cpu.most        | there is no such property",
                "jobs.concurrency.most       | there is no such property"
            })
    void whatMayBeTheApplicationsIsLikely(String name, String reason) {
        assertThat(names.check(name)).isEqualTo(new Ineffective(reason, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "JOBS_QUEUES",
                "JOBS_QUEUES_0",
                "JOBS_POLL_INTERVAL",
                "JOBS_POLLINTERVAL",
                "JOBS_TIMEOUT_DEFAULT",
                "JOBS_QUEUELIMITS_DEFAULT_CONCURRENCY",
                "JOBS_ORDEREDQUEUES_IMPORTS",
                "JOBS_CAPSULES_REPORTS_QUEUES_0",
                "JOBS_HOME",
                "JOBS_URL",
                "JOBS_LIMITS",
                "jobs_dashboard_path"
            })
    void variablesThatAreBoundOrMayBeAnyonesAreLeftAlone(String name) {
        assertThat(names.checkVariable(name)).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "JOBS_CONCURENCY                        | false | there is no such property; did you mean jobs.concurrency?",
                "JOBS_RETRY_MAXATEMPTS                  | false | there is no such property; did you mean jobs.retry.max-attempts?",
                "JOBS_QUEUELIMITS_DEFAULT_CONCURENCY    | true  | there is no such property; did you mean jobs.queue-limits.default.concurrency?",
                "JOBS_QUEUE_LIMITS_DEFAULT_CONCURRENCY  | true  | names are only found below JOBS_QUEUELIMITS_",
                "JOBS_QUEUELIMITS_MAIL_HIGH_CONCURRENCY | true  | the name of a variable has no place for a name with such characters; set it in a file, as jobs.queue-limits[NAME], or in SPRING_APPLICATION_JSON"
            })
    void variablesThatHaveNoEffectAreFound(String name, boolean certain, String reason) {
        assertThat(names.checkVariable(name)).isEqualTo(new Ineffective(reason, certain));
    }

    @ParameterizedTest
    @CsvSource({
        "defualt, default",
        "defalt, default",
        "mail_high, mail.high",
        "mailhigh, mail.high",
        "Mail.High, mail.high",
        "reprots, reports",
        "urgent, ",
        "main, mail",
        "eu, ",
        "abcdefgh, "
    })
    void theNearestNameIsFound(String name, String nearest) {
        assertThat(NearestName.of(name, List.of("default", "mail.high", "reports", "mail", "us")))
                .isEqualTo(nearest);
    }
}
