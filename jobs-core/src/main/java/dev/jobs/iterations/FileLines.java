package dev.jobs.iterations;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobs.JobsException;
import dev.jobs.iterations.Iteration.Item;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a file, without their ends. The cursor is the position of the line's first byte, so resuming costs the
 * same at any position.
 *
 * <p>Lines end with a line feed, with or without a carriage return before it. A byte order mark is skipped. Lines may
 * be added at the end while the job waits; the rest of the file must not change. Every worker that runs the job must
 * find the file under the same path. A line that isn't in the charset, a line of more than {@value #MAX_LINE_BYTES}
 * bytes, or a missing file fails the job. Immutable.
 */
public final class FileLines implements Iteration.Source<String> {

    /** Keeps a file that isn't text from filling the heap. */
    static final int MAX_LINE_BYTES = 16 * 1024 * 1024;

    private static final int BUFFER_BYTES = 64 * 1024;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final Path file;
    private final Charset charset;

    private FileLines(Path file, Charset charset) {
        this.file = file;
        this.charset = charset;
    }

    /** The lines of a file in UTF-8. */
    public static FileLines of(Path file) {
        return new FileLines(file, UTF_8);
    }

    /**
     * The same lines, read in another charset.
     *
     * @throws IllegalArgumentException if the charset doesn't encode a line feed as the single byte 10; UTF-16 doesn't
     */
    public FileLines charset(Charset other) {
        if (!other.canEncode() || !other.encode("\n").equals(ByteBuffer.wrap(new byte[] {'\n'}))) {
            throw new IllegalArgumentException("The lines of a file in " + other + " can't be found by their bytes");
        }
        return new FileLines(file, other);
    }

    @Override
    public Stream<Item<String>> open(@Nullable Object cursor) throws IOException {
        long from = Iteration.Source.wholeNumber(cursor, 0);
        FileChannel channel = channel(file);
        try {
            Lines lines = new Lines(channel, begin(channel, from));
            return StreamSupport.stream(Spliterators.spliteratorUnknownSize(lines, Spliterator.ORDERED), false)
                    .onClose(() -> close(channel));
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static FileChannel channel(Path file) throws IOException {
        try {
            return FileChannel.open(file);
        } catch (NoSuchFileException e) {
            throw gone(file, e);
        }
    }

    static JobsException gone(Path file, NoSuchFileException cause) {
        return new JobsException(
                "There is no file " + file
                        + " on this machine (any more). A job over a file must run where the file is",
                cause);
    }

    /** Moves to the first byte of a line, and returns its position. */
    private long begin(FileChannel channel, long from) throws IOException {
        if (from == 0) {
            ByteBuffer first = ByteBuffer.allocate(BYTE_ORDER_MARK.length);
            while (first.hasRemaining() && channel.read(first) >= 0) {}
            long begin = charset.equals(UTF_8) && first.flip().equals(ByteBuffer.wrap(BYTE_ORDER_MARK))
                    ? BYTE_ORDER_MARK.length
                    : 0;
            channel.position(begin);
            return begin;
        }
        ByteBuffer before = ByteBuffer.allocate(1);
        boolean afterLine = channel.read(before, from - 1) == 1 && before.get(0) == '\n';
        boolean afterMark = from == BYTE_ORDER_MARK.length;
        if (!afterLine && !afterMark) {
            throw new InvalidCursorException("No line of " + file + " begins at byte " + from
                    + ", where the job stopped: the file was replaced or truncated since then");
        }
        channel.position(from);
        return from;
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Lines implements Iterator<Item<String>> {

        private final InputStream in;
        private long at;
        private @Nullable Item<String> next;

        Lines(FileChannel channel, long at) {
            this.in = new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES);
            this.at = at;
        }

        @Override
        public boolean hasNext() {
            if (next == null) {
                try {
                    next = read();
                } catch (IOException e) {
                    throw new UncheckedIOException("Could not read " + file + " from byte " + at + ": " + e, e);
                }
            }
            return next != null;
        }

        @Override
        public Item<String> next() {
            Item<String> item = hasNext() ? next : null;
            if (item == null) {
                throw new NoSuchElementException();
            }
            next = null;
            return item;
        }

        private @Nullable Item<String> read() throws IOException {
            long begin = at;
            ByteArrayOutputStream line = new ByteArrayOutputStream(128);
            int b = in.read();
            if (b < 0) {
                return null;
            }
            while (b >= 0 && b != '\n') {
                if (line.size() == MAX_LINE_BYTES) {
                    throw new IOException("the line at byte " + begin + " has more than " + MAX_LINE_BYTES + " bytes");
                }
                line.write(b);
                b = in.read();
            }
            at += line.size() + (b < 0 ? 0 : 1);
            return new Item<>(text(line.toByteArray(), begin), begin);
        }

        private String text(byte[] line, long begin) throws IOException {
            int length = line.length > 0 && line[line.length - 1] == '\r' ? line.length - 1 : line.length;
            try {
                return charset.newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT)
                        .decode(ByteBuffer.wrap(line, 0, length))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new IOException("the line at byte " + begin + " is not valid " + charset, e);
            }
        }
    }
}
