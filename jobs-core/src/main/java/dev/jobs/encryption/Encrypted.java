package dev.jobs.encryption;

import dev.jobs.InvalidJobException;
import dev.jobs.Job;
import dev.jobs.Masked;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Encrypts the arguments of a job wherever they are stored: stands beside {@link Job}. The client encrypts them, and the
 * worker decrypts them for the call of the method. Redis, tables, the dashboard and the log have the ciphertext at most.
 *
 * <pre>{@code
 * @Job("Payouts.send")
 * @Encrypted
 * void send(String iban, BigDecimal amount) {
 *     // ask the bank
 * }
 * }</pre>
 *
 * <p>The key comes from {@code jobs.encryption}, or from a bean of type {@link EncryptionKeys}; without one the start
 * fails. A job that was stored before its method had this annotation runs as well, and so does one that was stored
 * encrypted before the method lost it.
 *
 * <p>Each parameter counts as {@link Masked}, so the key of a limit or of an ordered queue can't name one. Messages of
 * failures, lines of the job's log and its messages to a batch are not stored, since nobody could tell what they quote:
 * readers see the class of the failure and its frames. What the job returns, its progress and the cursor of an iteration
 * are stored as they are. A recurring job can't have encrypted arguments ({@link InvalidJobException}).
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Encrypted {}
