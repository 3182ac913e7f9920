package dev.jobs.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Base64Variant;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.TreeNode;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.json.JsonWriteContext;

/** Lets Jackson write beans into a {@link JsonBuffer}, so that the same rules apply to everything we store. */
final class JsonTextGenerator extends ValuesOnlyGenerator {

    private final JsonBuffer out;
    private final ObjectWriteContext owner;
    private final int outerDepth;
    private JsonWriteContext context = JsonWriteContext.createRootContext(null);

    /** A generator for one value, enclosed by the given number of containers. */
    JsonTextGenerator(JsonBuffer out, ObjectWriteContext owner, int outerDepth) {
        this.out = out;
        this.owner = owner;
        this.outerDepth = outerDepth;
    }

    /** The path to the last written value, such as {@code .prices[3]}. */
    String path() {
        StringBuilder path = new StringBuilder();
        for (JsonWriteContext at = context; at.getParent() != null; at = at.getParent()) {
            path.insert(0, at.inArray() ? JsonPath.index(at.getCurrentIndex()) : member(at.currentName()));
        }
        return path.toString();
    }

    private static String member(@Nullable String name) {
        // the first key of a map failed, so there is no name yet
        return name == null ? "[key]" : JsonPath.name(name);
    }

    @Override
    public JsonGenerator writeStartArray() {
        return writeStartArray(null);
    }

    @Override
    public JsonGenerator writeStartArray(@Nullable Object currentValue) {
        beginValue();
        deeper();
        context = context.createChildArrayContext(currentValue);
        out.raw('[');
        return this;
    }

    @Override
    public JsonGenerator writeStartArray(@Nullable Object currentValue, int size) {
        return writeStartArray(currentValue);
    }

    @Override
    public JsonGenerator writeEndArray() {
        if (!context.inArray()) {
            throw misuse("no array to end");
        }
        out.raw(']');
        context = context.clearAndGetParent();
        return this;
    }

    @Override
    public JsonGenerator writeStartObject() {
        return writeStartObject(null);
    }

    @Override
    public JsonGenerator writeStartObject(@Nullable Object currentValue) {
        beginValue();
        deeper();
        context = context.createChildObjectContext(currentValue);
        out.raw('{');
        return this;
    }

    @Override
    public JsonGenerator writeStartObject(@Nullable Object currentValue, int size) {
        return writeStartObject(currentValue);
    }

    @Override
    public JsonGenerator writeEndObject() {
        if (!context.inObject()) {
            throw misuse("no object to end");
        }
        out.raw('}');
        context = context.clearAndGetParent();
        return this;
    }

    @Override
    public JsonGenerator writeName(String name) {
        int status = context.writeName(name);
        if (status == JsonWriteContext.STATUS_EXPECT_VALUE) {
            throw misuse("a member name where a value belongs");
        }
        if (status == JsonWriteContext.STATUS_OK_AFTER_COMMA) {
            out.raw(',');
        }
        out.string(name);
        return this;
    }

    @Override
    public JsonGenerator writeName(SerializableString name) {
        return writeName(name.getValue());
    }

    @Override
    public JsonGenerator writePropertyId(long id) {
        return writeName(Long.toString(id));
    }

    @Override
    public JsonGenerator writeString(@Nullable String value) {
        if (value == null) {
            return writeNull();
        }
        beginValue();
        out.string(value);
        return this;
    }

    @Override
    public JsonGenerator writeString(char[] buffer, int offset, int length) {
        return writeString(new String(buffer, offset, length));
    }

    @Override
    public JsonGenerator writeString(SerializableString value) {
        return writeString(value.getValue());
    }

    @Override
    public JsonGenerator writeUTF8String(byte[] buffer, int offset, int length) {
        return writeString(new String(buffer, offset, length, StandardCharsets.UTF_8));
    }

    @Override
    public JsonGenerator writeBinary(Base64Variant variant, byte[] data, int offset, int length) {
        byte[] slice = Arrays.copyOfRange(data, offset, offset + length);
        return writeString(variant.encode(slice));
    }

    @Override
    public JsonGenerator writeNumber(short value) {
        return writeNumber((long) value);
    }

    @Override
    public JsonGenerator writeNumber(int value) {
        return writeNumber((long) value);
    }

    @Override
    public JsonGenerator writeNumber(long value) {
        beginValue();
        out.number(value);
        return this;
    }

    @Override
    public JsonGenerator writeNumber(@Nullable BigInteger value) {
        if (value == null) {
            return writeNull();
        }
        beginValue();
        out.number(value);
        return this;
    }

    @Override
    public JsonGenerator writeNumber(double value) {
        beginValue();
        out.number(value);
        return this;
    }

    @Override
    public JsonGenerator writeNumber(float value) {
        beginValue();
        out.number(value);
        return this;
    }

    @Override
    public JsonGenerator writeNumber(@Nullable BigDecimal value) {
        if (value == null) {
            return writeNull();
        }
        beginValue();
        out.number(value);
        return this;
    }

    @Override
    public JsonGenerator writeBoolean(boolean value) {
        beginValue();
        out.bool(value);
        return this;
    }

    @Override
    public JsonGenerator writeNull() {
        beginValue();
        out.nullValue();
        return this;
    }

    @Override
    public JsonGenerator writePOJO(@Nullable Object value) {
        if (value == null) {
            return writeNull();
        }
        owner.writeValue(this, value);
        return this;
    }

    @Override
    public JsonGenerator writeTree(@Nullable TreeNode node) {
        if (node == null) {
            return writeNull();
        }
        owner.writeTree(this, node);
        return this;
    }

    private void beginValue() {
        switch (context.writeValue()) {
            case JsonWriteContext.STATUS_OK_AFTER_COMMA -> out.raw(',');
            case JsonWriteContext.STATUS_OK_AFTER_COLON -> out.raw(':');
            case JsonWriteContext.STATUS_EXPECT_NAME -> throw misuse("a value where a member name belongs");
            case JsonWriteContext.STATUS_OK_AFTER_SPACE -> throw misuse("a second value");
            default -> {}
        }
    }

    private void deeper() {
        if (outerDepth + context.getNestingDepth() >= JsonText.MAX_DEPTH) {
            throw JsonText.tooDeep();
        }
    }

    private StreamWriteException misuse(String what) {
        return new StreamWriteException(this, "The serializer writes " + what);
    }

    @Override
    public TokenStreamContext streamWriteContext() {
        return context;
    }

    @Override
    public ObjectWriteContext objectWriteContext() {
        return owner;
    }

    @Override
    public Object streamWriteOutputTarget() {
        return out;
    }

    @Override
    public int streamWriteOutputBuffered() {
        return out.length();
    }

    @Override
    public @Nullable Object currentValue() {
        return context.currentValue();
    }

    @Override
    public void assignCurrentValue(@Nullable Object value) {
        context.assignCurrentValue(value);
    }
}
