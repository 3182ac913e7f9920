package dev.jobs.batches;

import dev.jobs.batches.BatchStore.Complete;
import dev.jobs.redis.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The commit of batches as bytes, for as long as an outbox keeps it. */
final class KeptCommit {

    /** Begins the bytes, for versions of this library that write other ones. */
    private static final int FORMAT = 1;

    private KeptCommit() {}

    /** Without callbacks: Redis has the definitions already, and a tree of batches may have many large ones. */
    static byte[] write(List<Complete> batches) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeInt(batches.size());
            for (Complete batch : batches) {
                out.writeUTF(batch.id());
                out.writeBoolean(batch.staged());
                out.writeInt(batch.stagedQueues().size());
                for (String queue : batch.stagedQueues()) {
                    out.writeUTF(queue);
                }
                List<byte[]> fields = batch.definition().withoutCallbacks().fields();
                out.writeInt(fields.size());
                for (byte[] field : fields) {
                    out.writeInt(field.length);
                    out.write(field);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e); // memory takes all
        }
        return bytes.toByteArray();
    }

    /** @throws IllegalArgumentException if they were not written by this version or an earlier one */
    static List<Complete> read(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int format = in.readByte();
            if (format != FORMAT) {
                throw new IllegalArgumentException("unknown format " + format);
            }
            List<Complete> batches = new ArrayList<>();
            for (int left = in.readInt(); left > 0; left--) {
                batches.add(readBatch(in));
            }
            return batches;
        } catch (IOException e) {
            throw new IllegalArgumentException("damaged", e);
        }
    }

    private static Complete readBatch(DataInputStream in) throws IOException {
        String id = in.readUTF();
        boolean staged = in.readBoolean();
        List<String> queues = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            queues.add(in.readUTF());
        }
        Map<String, byte[]> fields = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left -= 2) {
            String name = Bytes.text(in.readNBytes(in.readInt()));
            fields.put(name, in.readNBytes(in.readInt()));
        }
        return new Complete(id, BatchDefinition.of(fields), staged, queues);
    }
}
