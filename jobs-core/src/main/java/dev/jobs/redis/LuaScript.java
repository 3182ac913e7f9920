package dev.jobs.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.Internal;
import java.util.Arrays;
import java.util.stream.Collectors;

/** A Lua script and its digest. The room that calls it declares it as a constant. */
@Internal
public final class LuaScript {

    /** Empty, unless a module on the class path puts something before every script, as jobs-test does. */
    private static final String PRELUDES = LuaPart.kinds("prelude_").stream()
            .map(kind -> LuaPart.listed("prelude_" + kind).code())
            .collect(Collectors.joining());

    private final String name;
    private final byte[] source;
    private final String digest;

    private LuaScript(String name, byte[] source) {
        this.name = name;
        this.source = source;
        this.digest = Bytes.sha1(source);
    }

    /**
     * A script from a file.
     *
     * @param room a class of the room that has the file
     * @param name the name of the file, without its ending
     * @param parts what it needs, in this order
     */
    public static LuaScript of(Class<?> room, String name, LuaPart... parts) {
        String before = Arrays.stream(parts).map(LuaPart::code).collect(Collectors.joining());
        return new LuaScript(name, (PRELUDES + before + LuaPart.of(room, name).code()).getBytes(UTF_8));
    }

    public String source() {
        return new String(source, UTF_8);
    }

    public String digest() {
        return digest;
    }

    @Override
    public String toString() {
        return name;
    }
}
