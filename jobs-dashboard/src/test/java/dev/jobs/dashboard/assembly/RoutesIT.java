package dev.jobs.dashboard.assembly;

import static dev.jobs.dashboard.RunningDashboard.encoded;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobs.dashboard.Figures;
import dev.jobs.dashboard.RunningDashboard;
import dev.jobs.dashboard.RunningDashboard.Reply;
import dev.jobs.dashboard.history.HistoryApplication;
import dev.jobs.dashboard.server.Installations;
import dev.jobs.embeddedredis.EmbeddedRedis;
import dev.jobs.proof.LongTest;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route answers where a hundred thousand jobs wait, and reads a bounded part: {@link VolumeIT} in small. */
class RoutesIT {

    private static final int PART = 10;

    /** With so few jobs beside them, a fast machine deletes in one step all failed jobs that match. */
    private static final long COMMANDS_OF_ALL_THAT_MATCH = 150_000;

    @AutoClose
    static final EmbeddedRedis server = EmbeddedRedis.start();

    @AutoClose
    static final RunningDashboard dashboard =
            RunningDashboard.start(server, "/jobs", HistoryApplication.class, EveryRoute.PROPERTIES);

    @AutoClose
    static final Figures figures = new Figures("answers-in-small", "request | ms | bytes | from Redis | commands");

    private final EveryRoute routes = new EveryRoute(dashboard, figures);

    @BeforeAll
    static void fill() {
        Volume.fill(dashboard, PART);
    }

    @Test
    void everyRouteIsCalled() {
        Set<String> called = new TreeSet<>(Set.of("GET api/job/neighbour")); // with a job's key, below
        EveryRoute.pages().forEach(page -> called.add("GET " + page.substring(1).replaceFirst("\\?.*", "")));
        EveryRoute.acts().forEach(act -> called.add("POST api/" + act.path()));

        Set<String> all = dashboard
                .bean(Installations.class)
                .all()
                .findFirst()
                .orElseThrow()
                .routes()
                .keySet();
        assertThat(called).isEqualTo(new TreeSet<>(all));
    }

    @ParameterizedTest
    @MethodSource("dev.jobs.dashboard.assembly.EveryRoute#pages")
    void readsABoundedPart(String path) {
        Reply reply = routes.bounded(path, () -> dashboard.get(path), EveryRoute.COMMANDS_OF_A_PAGE);

        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    }

    @Test
    void showsAJobAndItsNeighbour() {
        String key = encoded(routes.onlyKey("/api/jobs?place=queue&queue=default&from=50000&size=1"));
        for (String route : List.of("/api/job", "/api/job/neighbour")) {
            String path = route + "?place=queue&queue=default&key=" + key;

            Reply reply = routes.bounded(path, () -> dashboard.get(path), EveryRoute.COMMANDS_OF_A_PAGE);

            assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        }
    }

    /** As the user of docs/servers.md that only looks: pages are shown, and nothing is changed. */
    @LongTest
    @Test
    void showsEveryPageToAUserOfRedisWhoMayOnlyLook() throws IOException {
        Matcher viewer = Pattern.compile(
                        "^```\\nACL SETUSER (jobs-viewer .*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "docs", "servers.md")));
        assertThat(viewer.find()).isTrue();
        String rules =
                viewer.group(1).replace("\\\n", " ").replace("~shop:", "~").strip();
        CommandArgs<String, String> user = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
        Stream.of(rules.split("\\s+")).forEach(user::add);
        List<String> properties = new ArrayList<>(List.of(EveryRoute.PROPERTIES));
        properties.add("spring.data.redis.url=redis://jobs-viewer:SECRET@127.0.0.1:" + server.port());
        try (RedisClient client = RedisClient.create(server.uri())) {
            RedisCommands<String, String> redis = client.connect().sync();
            redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), user);
            redis.aclLogReset();
            RunningDashboard viewing = RunningDashboard.start(
                    server, "/jobs", HistoryApplication.class, properties.toArray(String[]::new));
            try (viewing) {
                Set<Integer> answers = EveryRoute.pages()
                        .filter(path -> !path.startsWith("/api/history/")) // from the database
                        .map(path -> viewing.get(path).status())
                        .collect(toSet());
                // what it can't keep for others, it reads anew
                assertThat(redis.aclLog())
                        .extracting(each -> each.get("object"))
                        .isSubsetOf("hdel");
                assertThat(answers).containsExactly(200);
                assertThat(viewing.post("/api/queue/pause", Map.of("queue", "tenant-1"))
                                .status())
                        .isNotEqualTo(200);
            }
        }
    }

    @LongTest
    @Test
    void actsOnABoundedPart() {
        assertThat(routes.actOnAll(COMMANDS_OF_ALL_THAT_MATCH)).isEmpty();
    }
}
