package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.SortedMap;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A user without the right to a command that scripts need: the scripts fail, even in the middle, and lose no job. */
class AccessIT {

    @AutoClose
    static final ScriptTestBed bed = new ScriptTestBed();

    private final AllPlacesFixture fixture = new AllPlacesFixture(bed);

    @AfterEach
    void grantAll() {
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.allCommands());
    }

    private static void deny(CommandType command) {
        bed.redis.texts().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(command));
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "DEL",
                "EXPIRE",
                "HDEL",
                "HGET",
                "HINCRBY",
                "HLEN",
                "HSET",
                "HSETNX",
                "INCRBY",
                "LPUSH",
                "LRANGE",
                "LREM",
                "LTRIM",
                "PEXPIRE",
                "RPOP",
                "RPUSH",
                "SADD",
                "SET",
                "SREM",
                "TYPE",
                "ZADD",
                "ZREM",
                "ZREMRANGEBYRANK",
                "ZREMRANGEBYSCORE",
                "ZSCORE"
            })
    void losesNoJobWhateverIsDenied(CommandType command) {
        SoftAssertions softly = new SoftAssertions();
        for (String what : fixture.steps().keySet()) {
            grantAll();
            fixture.store();
            deny(command);
            Runnable step = fixture.steps().get(what);
            try {
                step.run();
            } catch (JobStoreException e) {
                softly.assertThat(e.kind()).as(what).isEqualTo(Kind.DENIED);
            }
            grantAll();
            SortedMap<String, List<String>> places = AllPlacesFixture.places(bed.stored());
            places.remove("new");
            softly.assertThat(places.keySet()).as("jobs after '%s'", what).isEqualTo(AllPlacesFixture.JOBS);
        }
        softly.assertAll();
    }

    @Test
    void claimsUnderTheSameNumberOnceItMay() {
        fixture.store();
        Worker.Call call = new Worker.Call(0, 2, 5, 1, List.of("mail"), List.of());
        deny(CommandType.HSET);
        assertThat(catchThrowableOfType(
                                JobStoreException.class, () -> fixture.worker().repeat(call))
                        .kind())
                .isEqualTo(Kind.DENIED);
        assertThat(bed.queue("mail")).containsExactly("waiting");
        grantAll();

        assertThat(Worker.payloads(fixture.worker().repeat(call).claimed())).containsExactly("waiting");
        assertThat(bed.books().conservationError()).isZero();
    }
}
