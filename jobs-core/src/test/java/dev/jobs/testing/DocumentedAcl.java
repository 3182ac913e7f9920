package dev.jobs.testing;

import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A user with few rights, as docs/servers.md creates it. */
public final class DocumentedAcl {

    /** All that workers, clients and administration do. */
    public static final String WORKER = "jobs";

    /** Only enqueues jobs. */
    public static final String CLIENT = "jobs-client";

    /** Only looks at them. */
    public static final String VIEWER = "jobs-viewer";

    private final List<String> words;

    private DocumentedAcl(List<String> words) {
        this.words = words;
    }

    /** Reads the one that may do everything. */
    public static DocumentedAcl read() {
        return read(WORKER);
    }

    /** Reads the one of this name. */
    public static DocumentedAcl read(String user) {
        Pattern inBlock =
                Pattern.compile("^```\\n(ACL SETUSER " + user + " .*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
        try {
            Matcher block = inBlock.matcher(Files.readString(Path.of("..", "docs", "servers.md")));
            if (!block.find()) {
                throw new IllegalStateException("docs/servers.md has no user " + user);
            }
            return new DocumentedAcl(
                    List.of(block.group(1).replace("\\\n", " ").strip().split("\\s+")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The commands that it may use. */
    public List<String> commands() {
        return words.stream()
                .filter(word -> word.startsWith("+"))
                .map(word -> word.substring(1))
                .toList();
    }

    /** The prefix of the keys that it may use. */
    public String prefix() {
        return only("~").replaceFirst(":.*", ":");
    }

    private String only(String sign) {
        return words.stream()
                .filter(word -> word.startsWith(sign))
                .findFirst()
                .orElseThrow()
                .substring(1);
    }

    /** Creates the user. */
    public void create(RedisFixture redis) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
        words.subList(1, words.size()).forEach(arguments::add);
        redis.texts().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
        redis.texts().aclLogReset();
    }

    /** Makes it the user of a connection. */
    void apply(RedisURI uri) {
        uri.setCredentialsProvider(
                new StaticCredentialsProvider(words.get(2), only(">").toCharArray()));
    }

    /** What the server denied, including what scripts tried; without what clients tell of themselves. */
    public List<String> denied(RedisFixture redis) {
        return redis.texts().aclLog().stream()
                .filter(entry -> !"client|setinfo".equals(entry.get("object")))
                .map(Map::toString)
                .toList();
    }
}
