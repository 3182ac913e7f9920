package dev.jobs.redis;

import dev.jobs.JobStoreException;
import dev.jobs.JobStoreException.Kind;
import dev.jobs.redis.RedisServer.Setting;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.protocol.RedisProtocolException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a connection can't be opened: what is wrong, where, and which setting to check. Most of these errors are
 * mistakes in a configuration, and the deepest cause, which has the reason, lacks the address.
 */
final class ConnectErrors {

    private static final String CLOSED = "closed prematurely";

    /** Lettuce looks for its handler once it is connected, and the end of the connection may have removed it by then. */
    private static final String CLOSED_SOONER = "RedisHandshakeHandler not registered";

    private final RedisServer server;
    private final Duration timeout;

    ConnectErrors(RedisServer server, Duration timeout) {
        this.server = server;
        this.timeout = timeout;
    }

    /** Translates an error that occurred before any command of ours was sent. */
    JobStoreException translate(Throwable error) {
        if (error instanceof JobStoreException known) {
            return known;
        }
        List<Throwable> causes = causes(error);
        for (Throwable cause : causes) {
            if (cause instanceof RedisCommandExecutionException) {
                return refused(String.valueOf(cause.getMessage()), error);
            }
        }
        return unreachable(reason(causes), error);
    }

    /**
     * Whether the server may have given a reason that the error doesn't tell. If credentials are resolved on another
     * thread than that of the connection, as a {@code RedisURI} resolves those given as text, that thread hears of the refusal and
     * closes the connection, and Lettuce may notice the end before it keeps the reason.
     */
    static boolean mayLackReason(Throwable error) {
        return causes(error).stream()
                .map(cause -> String.valueOf(cause.getMessage()))
                .anyMatch(message -> message.contains(CLOSED) || message.contains(CLOSED_SOONER));
    }

    /** The attempt of another thread takes too long. */
    JobStoreException tooLong() {
        return unreachable(noAnswer(), null);
    }

    private JobStoreException refused(String message, Throwable error) {
        if (message.startsWith("NOAUTH")) {
            return denied("It requires a password, and none was sent. Set " + server.name(Setting.PASSWORD), error);
        }
        if (message.startsWith("WRONGPASS") || message.contains("invalid password")) {
            return denied("The user name or the password is wrong. Check " + server.name(Setting.CREDENTIALS), error);
        }
        if (message.startsWith("NOPERM")) {
            return denied(
                    message + ". Grant it to the user in Redis, or check " + server.name(Setting.CREDENTIALS), error);
        }
        if (message.startsWith("DENIED")) {
            return denied("It is in protected mode, so it accepts only its own machine. Give it a password", error);
        }
        return unreachable(
                message.contains("DB index") ? message + ". Check " + server.name(Setting.DATABASE) : message, error);
    }

    private String reason(List<Throwable> causes) {
        for (Throwable cause : causes) {
            if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
                return "The host is unknown. Check " + server.name(Setting.ADDRESS);
            }
            if (cause instanceof CertificateException) {
                return "Its certificate is not accepted: " + RedisErrors.rootMessage(cause) + ". Check "
                        + server.name(Setting.CERTIFICATE);
            }
            if (cause instanceof RedisCommandTimeoutException) {
                return noAnswer();
            }
        }
        Throwable root = causes.get(causes.size() - 1);
        if (root instanceof SSLException) {
            return RedisErrors.rootMessage(root) + otherwise();
        }
        String message = RedisErrors.rootMessage(root);
        if (message.contains("onnection refused")) {
            return message + ". Start Redis, or check " + server.name(Setting.ADDRESS);
        }
        if (root instanceof RedisProtocolException) {
            return "It answers in another protocol than Redis" + otherwise();
        }
        if (message.contains(CLOSED_SOONER)) {
            return "It closed the connection at once" + otherwise();
        }
        boolean hungUp = message.contains(CLOSED) || message.contains("Connection reset");
        return hungUp ? message + otherwise() : message;
    }

    private String noAnswer() {
        return "No answer within " + timeout.toMillis() + " ms" + otherwise();
    }

    private String otherwise() {
        return (server.encrypted() ? ". If it doesn't use TLS, check " : ". If it uses TLS, check ")
                + server.name(Setting.TLS) + "; otherwise check " + server.name(Setting.ADDRESS);
    }

    private JobStoreException denied(String reason, Throwable error) {
        return new JobStoreException(Kind.DENIED, "Redis denies access" + server.at() + ": " + reason, error);
    }

    private JobStoreException unreachable(String reason, @Nullable Throwable error) {
        return new JobStoreException(Kind.UNREACHABLE, "Redis can't be reached" + server.at() + ": " + reason, error);
    }

    private static List<Throwable> causes(Throwable error) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable each = error; each != null && !causes.contains(each); each = each.getCause()) {
            causes.add(each);
        }
        return causes;
    }
}
