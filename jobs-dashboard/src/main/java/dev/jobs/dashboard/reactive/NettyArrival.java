package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.web.Arrival;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.netty.http.server.HttpServerRequest;

/**
 * A request as Reactor Netty received it. The address is that of the socket: the one in Reactor Netty's request may be
 * taken from a header, or from the protocol that proxies put in front of a connection.
 */
final class NettyArrival implements Arrival {

    private final HttpServerRequest request;

    NettyArrival(HttpServerRequest request) {
        this.request = request;
    }

    @Override
    public @Nullable String address() {
        InetAddress address =
                request.connectionRemoteAddress() instanceof InetSocketAddress internet ? internet.getAddress() : null;
        return address == null ? null : address.getHostAddress();
    }

    @Override
    public String protocol() {
        return request.protocol();
    }

    @Override
    public Set<String> headerNames() {
        return request.requestHeaders().names();
    }

    @Override
    public List<String> headers(String name) {
        return request.requestHeaders().getAll(name);
    }

    @Override
    public @Nullable String query() {
        int mark = request.uri().indexOf('?');
        return mark < 0 ? null : request.uri().substring(mark + 1);
    }

    /**
     * Whether Reactor Netty took another address than the socket's, from a header or from the protocol in front of the
     * connection, of which nothing else is left.
     */
    @Override
    public boolean isReaddressed() {
        return !Objects.equals(request.remoteAddress(), request.connectionRemoteAddress());
    }
}
