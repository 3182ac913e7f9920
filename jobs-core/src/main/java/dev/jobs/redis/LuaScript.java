package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A Lua script and its digest. The room that calls it declares it as a constant. Thread-safe. */
@Internal
public final class LuaScript {

    /** Empty, unless a module on the class path puts something before every script, as jobs-test does. */
    private static final String PRELUDES = LuaPart.joined(LuaPart.kinds("prelude_").stream()
            .map(kind -> LuaPart.listed("prelude_" + kind))
            .toList());

    private final String name;
    private final List<LuaPart> parts;

    /** Null until the first use: hashing all scripts would slow down the start, and a process uses few of them. */
    private volatile @Nullable Assembled assembled;

    private record Assembled(String source, String digest) {}

    private LuaScript(String name, List<LuaPart> parts) {
        this.name = name;
        this.parts = parts;
    }

    /**
     * A script from a file.
     *
     * @param room a class of the room that has the file
     * @param name the name of the file, without its ending
     * @param parts what it needs, in this order
     */
    public static LuaScript of(Class<?> room, String name, LuaPart... parts) {
        List<LuaPart> all = new ArrayList<>(List.of(parts));
        all.add(LuaPart.of(room, name));
        return new LuaScript(name, List.copyOf(all));
    }

    public String source() {
        return assembled().source();
    }

    public String digest() {
        return assembled().digest();
    }

    /** Several threads may assemble it at once, with the same result. */
    private Assembled assembled() {
        Assembled known = assembled;
        if (known == null) {
            String source = PRELUDES + LuaPart.joined(parts);
            known = new Assembled(source, Bytes.sha1(source.getBytes(UTF_8)));
            assembled = known;
        }
        return known;
    }

    @Override
    public String toString() {
        return name;
    }
}
