package dev.jobs.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisErrorsTests {

    private static final Duration TIMEOUT = Duration.ofMillis(250);

    private static JobStoreException translated(Throwable error) {
        return RedisErrors.translate(error, TIMEOUT);
    }

    /** Also as Redis 6.2 wraps an error in a script, and as later versions append its position. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "READ_ONLY | READONLY You can't write against a read only replica.",
                "READ_ONLY | ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -READONLY You can't write against a read only replica.",
                "READ_ONLY | UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
                "READ_ONLY | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "FULL | OOM command not allowed when used memory > 'maxmemory'. script: 1, on @user_script:9.",
                "FULL | ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -OOM command not allowed when used memory > 'maxmemory'.",
                "UNSAFE | MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
                "UNSAFE | ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -MISCONF Errors writing to the AOF file: No space left on device",
                "UNSAFE | NOREPLICAS Not enough good replicas to write.",
                "BUSY | LOADING Redis is loading the dataset in memory",
                "BUSY | BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "BUSY | CLUSTERDOWN Hash slot not served",
                "BUSY | TRYAGAIN Multiple keys request during rehashing of slot",
                "BUSY | ASK 4079 127.0.0.1:7001",
                "READ_ONLY | MOVED 4079 127.0.0.1:7001",
                "DENIED | NOAUTH Authentication required.",
                "DENIED | WRONGPASS invalid username-password pair or user is disabled.",
                "DENIED | NOPERM this user has no permissions to run the 'lpush' command",
                "DENIED | ERR The user executing the script can't run this command or subcommand script: 1, on @user_script:9.",
                "DENIED | ERR ACL failure in script: User default has no permissions to run the 'lpush' command script: 1, on @user_script:1.",
                "DENIED | ERR ACL failure in script: No permissions to access a key script: on @user_script:1.",
                "DENIED | ERR The user executing the script can't access at least one of the keys mentioned in the command arguments",
                "WRONG_TYPE | WRONGTYPE Operation against a key holding the wrong kind of value script: 1, on @user_script:9.",
                "OTHER | ERR unknown command 'XYZ'",
                "OTHER | CROSSSLOT Keys in request don't hash to the same slot"
            })
    void recognisesARefusalByItsText(Kind kind, String message) {
        JobStoreException e = translated(new RedisCommandExecutionException(message));

        assertThat(e.kind()).isEqualTo(kind);
        assertThat(e).hasMessageEndingWith(message).hasCauseInstanceOf(RedisCommandExecutionException.class);
        assertThat(RedisErrors.mayHaveRun(e)).isEqualTo(kind == Kind.OTHER);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true | READONLY You can't write against a read only replica.",
                "true | MOVED 4079 127.0.0.1:7001",
                "true | CLUSTERDOWN The cluster is down",
                "false | TRYAGAIN Multiple keys request during rehashing of slot",
                "false | LOADING Redis is loading the dataset in memory",
                "false | OOM command not allowed when used memory > 'maxmemory'."
            })
    void knowsWhetherAnotherNodeMayAnswer(boolean elsewhere, String message) {
        assertThat(RedisErrors.isBetterElsewhere(translated(new RedisCommandExecutionException(message))))
                .isEqualTo(elsewhere);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Another node of the Redis Cluster has the jobs now | MOVED 4079 127.0.0.1:7001",
                "The hash slot of the jobs is being moved to another node of the Redis Cluster | ASK 4079 127.0.0.1:7001",
                "The hash slot of the jobs is being moved to another node of the Redis Cluster | TRYAGAIN Multiple keys request",
                "The Redis Cluster does not serve all its hash slots | CLUSTERDOWN The cluster is down"
            })
    void saysWhatHappensInACluster(String explanation, String message) {
        assertThat(translated(new RedisCommandExecutionException(message))).hasMessage(explanation + ": " + message);
    }

    @Test
    void reportsATimeout() {
        JobStoreException e =
                translated(new RedisCommandTimeoutException("Command timed out after 250 millisecond(s)"));

        assertThat(e.kind()).isEqualTo(Kind.TIMEOUT);
        assertThat(e).hasMessage("Redis did not answer within 250 ms");
        assertThat(RedisErrors.mayHaveRun(e)).isTrue();
    }

    @Test
    void reportsThatThereIsNoConnection() {
        JobStoreException e = translated(
                new RedisConnectionException("Unable to connect", new IOException("Connection refused: /127.0.0.1:1")));

        assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(e).hasMessage("Redis can't be reached: Connection refused: /127.0.0.1:1");
        assertThat(RedisErrors.mayHaveRun(e)).isFalse();
    }

    @Test
    void knowsWhetherACommandOnALostConnectionWasSent() {
        JobStoreException refused = translated(new RedisException("Currently not connected. Commands are rejected."));
        JobStoreException broken = translated(new IOException("Connection reset"));

        assertThat(refused.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(broken.kind()).isEqualTo(Kind.UNREACHABLE);
        assertThat(RedisErrors.mayHaveRun(refused)).isFalse();
        assertThat(RedisErrors.mayHaveRun(broken)).isTrue();
    }

    @Test
    void keepsWhatWasTranslatedBefore() {
        JobStoreException known = new JobStoreException(Kind.FULL, "full", null);

        assertThat(translated(known)).isSameAs(known);
    }

    @Test
    void namesAnErrorThatHasNoMessage() {
        assertThat(translated(new RedisException(new IllegalStateException())))
                .hasMessage("Redis can't be reached: IllegalStateException");
    }
}
