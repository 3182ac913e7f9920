package dev.jobs.codec;

import java.io.InputStream;
import java.io.Reader;
import tools.jackson.core.Base64Variant;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteCapability;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.Version;
import tools.jackson.core.json.PackageVersion;
import tools.jackson.core.util.JacksonFeatureSet;

/**
 * A generator for serializers that write values: it refuses text that is already encoded, because such text could break
 * every rule about what we store.
 */
abstract class ValuesOnlyGenerator extends JsonGenerator {

    @Override
    public JsonGenerator writeString(Reader reader, int length) {
        throw unsupported("text from a reader");
    }

    @Override
    public JsonGenerator writeNumber(String encodedValue) {
        throw unsupported("a number as raw text");
    }

    @Override
    public JsonGenerator writeRawUTF8String(byte[] buffer, int offset, int length) {
        throw unsupported("raw text");
    }

    @Override
    public JsonGenerator writeRaw(String text) {
        throw unsupported("raw text");
    }

    @Override
    public JsonGenerator writeRaw(String text, int offset, int length) {
        throw unsupported("raw text");
    }

    @Override
    public JsonGenerator writeRaw(char[] buffer, int offset, int length) {
        throw unsupported("raw text");
    }

    @Override
    public JsonGenerator writeRaw(char c) {
        throw unsupported("raw text");
    }

    @Override
    public JsonGenerator writeRawValue(String text) {
        throw unsupported("raw text");
    }

    @Override
    public JsonGenerator writeRawValue(String text, int offset, int length) {
        throw unsupported("raw text");
    }

    @Override
    public JsonGenerator writeRawValue(char[] text, int offset, int length) {
        throw unsupported("raw text");
    }

    @Override
    public int writeBinary(Base64Variant variant, InputStream data, int length) {
        throw unsupported("a stream");
    }

    @Override
    public Version version() {
        return PackageVersion.VERSION;
    }

    @Override
    public JsonGenerator configure(StreamWriteFeature feature, boolean state) {
        return this;
    }

    @Override
    public boolean isEnabled(StreamWriteFeature feature) {
        return false;
    }

    @Override
    public int streamWriteFeatures() {
        return 0;
    }

    @Override
    public boolean has(StreamWriteCapability capability) {
        return capability.enabledByDefault();
    }

    @Override
    public JacksonFeatureSet<StreamWriteCapability> streamWriteCapabilities() {
        return JacksonFeatureSet.fromDefaults(StreamWriteCapability.values());
    }

    @Override
    public void flush() {}

    @Override
    public boolean isClosed() {
        return false;
    }

    @Override
    public void close() {}

    private Unwritable unsupported(String what) {
        return new Unwritable("its serializer writes " + what + ", which can't be checked; write values instead");
    }
}
