package dev.jobs.encryption;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * AES-GCM with a random nonce of 96 bits before the ciphertext and a tag of 128 bits behind it, as NIST SP 800-38D
 * describes in section 8.2.2. Thread-safe.
 */
final class AesGcm {

    static final int KEY_BYTES = 32;

    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BYTES = 16;

    private final SecureRandom random = new SecureRandom();

    /** @param bound what belongs to the text, and has to be the same when it is decrypted */
    byte[] encrypt(SecretKey key, byte[] plain, byte[] bound) throws GeneralSecurityException {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(TAG_BYTES * 8, nonce));
        cipher.updateAAD(bound);
        byte[] all = Arrays.copyOf(nonce, NONCE_BYTES + plain.length + TAG_BYTES);
        cipher.doFinal(plain, 0, plain.length, all, NONCE_BYTES);
        return all;
    }

    /**
     * @throws AEADBadTagException if that is not what was encrypted
     * @throws GeneralSecurityException if the key can't be used
     */
    byte[] decrypt(SecretKey key, byte[] all, byte[] bound) throws GeneralSecurityException {
        if (all.length < NONCE_BYTES + TAG_BYTES) {
            throw new AEADBadTagException("Too short");
        }
        Cipher cipher = Cipher.getInstance(CIPHER);
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BYTES * 8, all, 0, NONCE_BYTES));
        cipher.updateAAD(bound);
        return cipher.doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
    }
}
