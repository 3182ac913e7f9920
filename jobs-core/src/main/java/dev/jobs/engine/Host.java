package dev.jobs.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Where this JVM runs, as it stands in identities: {@code host:pid:nonce}. */
record Host(String name, long pid) {

    private static final int NONCE_BYTES = 6;

    /** This host, named as Sidekiq would. */
    static Host current() {
        return new Host(name(System.getenv("DYNO")), ProcessHandle.current().pid());
    }

    /** @param dyno what the platform calls this machine, if it calls it anything */
    static String name(@Nullable String dyno) {
        if (dyno != null && !dyno.isEmpty()) {
            return dyno;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** An identity that was never used before. */
    String newIdentity(RandomGenerator random) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        return name + ":" + pid + ":" + HexFormat.of().formatHex(nonce);
    }
}
