package dev.jobs.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Collects what some loggers write at INFO and above: during each test as a registered extension, or in a block from
 * {@link #open} to its end. Thread-safe: tests read while engines write.
 */
public final class LogLines implements BeforeEachCallback, AfterEachCallback, AutoCloseable {

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Map<Logger, Level> levels = new HashMap<>();
    private final List<Logger> loggers;
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing(); // keeps the MDC as it is now
            events.add(event);
        }
    };

    private LogLines(Stream<String> names) {
        this.loggers = names.map(name -> (Logger) LoggerFactory.getLogger(name)).toList();
    }

    /** The lines of these classes. */
    public static LogLines of(Class<?>... classes) {
        return new LogLines(Stream.of(classes).map(Class::getName));
    }

    /** The lines of a package and those below it. */
    public static LogLines ofPackage(String name) {
        return new LogLines(Stream.of(name));
    }

    /** Begins to collect. */
    public LogLines open() {
        appender.start();
        for (Logger logger : loggers) {
            levels.put(logger, logger.getLevel());
            logger.setLevel(Level.INFO);
            logger.addAppender(appender);
        }
        return this;
    }

    @Override
    public void close() {
        for (Logger logger : loggers) {
            logger.detachAppender(appender);
            logger.setLevel(levels.get(logger));
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        open();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        close();
    }

    /** Forgets the lines so far. */
    public void clear() {
        events.clear();
    }

    /** The lines so far. */
    public List<ILoggingEvent> events() {
        return List.copyOf(events);
    }

    /** Their texts. */
    public List<String> messages() {
        return messages(Level.TRACE);
    }

    /** The texts of the lines at a level or above. */
    public List<String> messages(Level level) {
        return events().stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(level))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
