package dev.jobs.dashboard;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets in who sits at this machine. Three things have to hold, since each alone can be forged: the connection itself comes from a loopback
 * address; nothing says that somebody forwarded the request, who would then be all that the address tells of; and the request asks for this
 * machine by a name of its own, or a page of any site could reach us through a name that its owner lets point here.
 */
final class LocalAccess implements DashboardAccess {

    private static final List<String> FORWARDING_HEADERS = List.of(
            "Forwarded",
            "Via",
            "X-Forwarded-For",
            "X-Forwarded-By",
            "X-Forwarded-Host",
            "X-Forwarded-Port",
            "X-Forwarded-Prefix",
            "X-Forwarded-Proto",
            "X-Forwarded-Ssl",
            "X-Real-IP",
            "X-Client-IP",
            "X-Cluster-Client-IP",
            "CF-Connecting-IP",
            "True-Client-IP");

    /** What Tomcat leaves where it replaced the address of the connection by one from a header, and may have removed the header. */
    private static final List<String> FORWARDED_ATTRIBUTES =
            List.of("org.apache.tomcat.request.forwarded", "org.apache.tomcat.remoteAddr");

    /** A number, so that asking for its address asks no name server. */
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?");

    @Override
    public DashboardRole roleOf(HttpServletRequest request) {
        HttpServletRequest original = original(request);
        boolean local = isLoopback(original.getRemoteAddr())
                && FORWARDING_HEADERS.stream().allMatch(name -> original.getHeader(name) == null)
                && FORWARDED_ATTRIBUTES.stream().allMatch(name -> original.getAttribute(name) == null)
                && isOwnName(original.getHeader("Host"));
        return local ? DashboardRole.OPERATOR : DashboardRole.NONE;
    }

    /** The request as the container made it: what filters wrap around it may show another address and hide headers. */
    private static HttpServletRequest original(HttpServletRequest request) {
        ServletRequest inner = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
        }
        return inner instanceof HttpServletRequest http ? http : request;
    }

    private static boolean isOwnName(@Nullable String host) {
        if (host == null) {
            return false;
        }
        try {
            String name = new URI("http://" + host).getHost();
            if (name == null) {
                return false;
            }
            String bare = name.startsWith("[") ? name.substring(1, name.length() - 1) : name.toLowerCase(Locale.ROOT);
            return bare.equals("localhost") || bare.endsWith(".localhost") || isLoopback(bare);
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static boolean isLoopback(@Nullable String address) {
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
