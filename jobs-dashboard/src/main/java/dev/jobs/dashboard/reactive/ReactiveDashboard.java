package dev.jobs.dashboard.reactive;

import dev.jobs.dashboard.DashboardRole;
import dev.jobs.dashboard.ReactiveDashboardAccess;
import dev.jobs.dashboard.access.KnownHosts;
import dev.jobs.dashboard.live.LiveStream;
import dev.jobs.dashboard.server.Answer;
import dev.jobs.dashboard.server.DashboardHandler;
import dev.jobs.dashboard.server.Installation;
import dev.jobs.dashboard.web.ApiRequest;
import dev.jobs.dashboard.web.Arrival;
import dev.jobs.dashboard.web.Problem;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Serves the dashboard in a WebFlux application. Only the threads for calls wait for Redis; those of the server never
 * do.
 */
final class ReactiveDashboard implements WebHandler {

    private static final byte[] NO_BODY = new byte[0];

    private final DashboardHandler handler;
    private final KnownHosts hosts;
    private final ReactiveDashboardAccess access;
    private final ReactiveSenders senders;
    private final Function<ServerWebExchange, Arrival> arrivals;
    private final ReactiveCalls calls;

    ReactiveDashboard(
            DashboardHandler handler,
            KnownHosts hosts,
            ReactiveDashboardAccess access,
            ReactiveSenders senders,
            Function<ServerWebExchange, Arrival> arrivals,
            ReactiveCalls calls) {
        this.handler = handler;
        this.hosts = hosts;
        this.access = access;
        this.senders = senders;
        this.arrivals = arrivals;
        this.calls = calls;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange) {
        return Mono.deferContextual(context -> {
            ReactiveWebRequest unknown = new ReactiveWebRequest(exchange, null, senders, context);
            return request(exchange, context)
                    .defaultIfEmpty(unknown)
                    .flatMap(request -> next(exchange, request))
                    .onErrorResume(failure -> Mono.just(handler.refusal(unknown, failure)))
                    .flatMap(next -> end(exchange).then(Mono.defer(() -> answer(exchange, next))));
        });
    }

    /**
     * Reads what is left of a request, up to the size of a call's body. Answers on the server's own thread would
     * otherwise come before the end of their requests, and Reactor Netty 1.3.7 then sometimes stops reading the
     * connection.
     */
    private static Mono<Void> end(ServerWebExchange exchange) {
        return DataBufferUtils.takeUntilByteCount(exchange.getRequest().getBody(), ApiRequest.MOST_BODY)
                .doOnNext(DataBufferUtils::release)
                .then()
                .onErrorComplete(); // the call has read it
    }

    /** The request with its user; nothing if it has none. */
    private Mono<ReactiveWebRequest> request(ServerWebExchange exchange, ContextView context) {
        return senders.user(exchange).map(name -> new ReactiveWebRequest(exchange, name, senders, context));
    }

    private Mono<DashboardHandler.Next> next(ServerWebExchange exchange, ReactiveWebRequest request) {
        return role(exchange)
                .map(role -> handler.receive(request, () -> role))
                .flatMap(next -> next instanceof DashboardHandler.Call call ? call(exchange, call) : Mono.just(next));
    }

    private Mono<DashboardRole> role(ServerWebExchange exchange) {
        return Mono.defer(() -> hosts.admit(arrivals.apply(exchange)) ? access.roleOf(exchange) : Mono.empty())
                .defaultIfEmpty(DashboardRole.NONE);
    }

    private Mono<Answer> call(ServerWebExchange exchange, DashboardHandler.Call call) {
        Mono<byte[]> body = call.hasBody() ? body(exchange) : Mono.just(NO_BODY);
        return body.flatMap(bytes ->
                        Mono.fromCallable(() -> handler.answer(call, bytes)).subscribeOn(calls.of(call.installation())))
                .onErrorMap(RejectedExecutionException.class, e -> tooBusy());
    }

    /** Stops reading where the body gets too large. */
    private static Mono<byte[]> body(ServerWebExchange exchange) {
        return DataBufferUtils.join(exchange.getRequest().getBody(), ApiRequest.MOST_BODY)
                .map(ReactiveDashboard::bytes)
                .defaultIfEmpty(NO_BODY)
                .onErrorMap(DataBufferLimitException.class, e -> ApiRequest.tooLarge());
    }

    private static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return bytes;
    }

    private static Problem tooBusy() {
        return new Problem(503, "busy", "Too many requests wait for Redis; try again later");
    }

    private Mono<Void> answer(ServerWebExchange exchange, DashboardHandler.Next next) {
        if (next instanceof DashboardHandler.Live live) {
            return open(exchange, live);
        }
        return next instanceof Answer answer ? send(exchange.getResponse(), answer) : Mono.empty();
    }

    private Mono<Void> open(ServerWebExchange exchange, DashboardHandler.Live live) {
        ServerHttpResponse response = exchange.getResponse();
        Installation installation = live.installation();
        ReactiveStreams streams = new ReactiveStreams(installation.stream(), LiveStream.LIFE);
        return Mono.fromCallable(installation.pulse()::first)
                .subscribeOn(calls.of(installation))
                .onErrorMap(RejectedExecutionException.class, e -> tooBusy())
                .doOnNext(first -> set(response.getHeaders(), live.headers()))
                .flatMap(first -> streams.open(response, first))
                .onErrorResume(
                        Problem.class,
                        e -> Mono.deferContextual(context -> send(
                                response,
                                handler.refusal(new ReactiveWebRequest(exchange, null, senders, context), e))));
    }

    private static Mono<Void> send(ServerHttpResponse response, Answer answer) {
        if (response.isCommitted()) {
            return Mono.empty();
        }
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        set(response.getHeaders(), answer.headers());
        if (answer.body().length == 0) {
            return response.setComplete();
        }
        response.getHeaders().setContentLength(answer.body().length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(answer.body())));
    }

    private static void set(HttpHeaders headers, Map<String, String> values) {
        values.forEach((name, value) -> {
            if (name.equals("Vary") || name.equals("Set-Cookie")) {
                headers.add(name, value); // the application may have reasons of its own
            } else {
                headers.set(name, value);
            }
        });
    }
}
