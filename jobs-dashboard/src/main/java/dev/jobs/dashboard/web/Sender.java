package dev.jobs.dashboard.web;

import dev.jobs.Internal;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the names and addresses by which a request says where it comes from and where it goes. */
@Internal
public final class Sender {

    /** A numeric address, whose resolution needs no name server. */
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?");

    private static final Pattern AUTHORITY =
            Pattern.compile("(\\[(?<address>[0-9A-Fa-f:.]+)]|(?<name>[A-Za-z0-9._-]+))(:[0-9]*)?");

    /** Several zeros of an IPv6 address. */
    private static final Pattern ZEROS = Pattern.compile("(^|:)0(:0)+(:|(?=%)|$)");

    private Sender() {}

    /** The name in {@code name:port} in lower case, an address without brackets; null if there is none. */
    public static @Nullable String name(@Nullable String authority) {
        Matcher parts = AUTHORITY.matcher(authority == null ? "" : authority.strip());
        if (!parts.matches()) {
            return null;
        }
        String address = parts.group("address");
        return address != null ? address : parts.group("name").toLowerCase(Locale.ROOT);
    }

    /** The {@code name:port} of an origin in lower case, or null if it has none, such as for a page from a file. */
    public static @Nullable String authority(@Nullable String origin) {
        try {
            String authority = origin == null ? null : new URI(origin).getRawAuthority();
            return authority == null ? null : authority.toLowerCase(Locale.ROOT);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** An address as people write it: {@code ::1} rather than {@code 0:0:0:0:0:0:0:1}. */
    public static String brief(String address) {
        return ZEROS.matcher(address)
                .results()
                .max(Comparator.comparingInt(
                        zeros -> zeros.group().replace(":", "").length()))
                .map(zeros -> address.substring(0, zeros.start()) + "::" + address.substring(zeros.end()))
                .orElse(address);
    }

    /** Whether a name can only mean the machine that it is used on. */
    public static boolean isOwnName(@Nullable String name) {
        return name != null && (name.equals("localhost") || name.endsWith(".localhost") || isLoopback(name));
    }

    public static boolean isLoopback(@Nullable String address) {
        if (address == null || !ADDRESS.matcher(address).matches()) {
            return false;
        }
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
