package dev.jobs.databases;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.Lexer;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.apache.shardingsphere.sql.parser.autogen.OracleStatementLexer;
import org.apache.shardingsphere.sql.parser.autogen.OracleStatementParser;
import org.apache.shardingsphere.sql.parser.autogen.SQLServerStatementLexer;
import org.apache.shardingsphere.sql.parser.autogen.SQLServerStatementParser;
import org.jspecify.annotations.Nullable;

/**
 * The grammars of databases that don't run here, as Apache ShardingSphere has them. They know no names of columns.
 */
public enum SqlGrammar {
    ORACLE("Oracle") {
        /** The grammar has no functions of packages, and takes PAUSE of SQL*Plus for a reserved word. */
        @Override
        List<String> parts(String sql) {
            Matcher block = IMMEDIATE.matcher(sql);
            return (block.find() ? Stream.of(sql, block.group(1)) : Stream.of(sql))
                    .map(part -> part.replace("dbms_lob.getlength(", "length(").replaceAll("\\bpause\\b", "pause_"))
                    .toList();
        }

        @Override
        void parse(String sql, BaseErrorListener errors) {
            Lexer lexer = heard(new OracleStatementLexer(CharStreams.fromString(sql)), errors);
            OracleStatementParser parser = heard(new OracleStatementParser(new CommonTokenStream(lexer)), errors);
            // Faster, and what it accepts is right; of the other grammar it would refuse too much.
            parser.getInterpreter().setPredictionMode(PredictionMode.SLL);
            parser.execute();
        }
    },
    SQL_SERVER("Microsoft SQL Server") {
        /** The grammar has no IF, no EXEC, and no commas between hints. */
        @Override
        List<String> parts(String sql) {
            return sql.startsWith("declare @got int; exec @got = sp_getapplock ")
                    ? List.of()
                    : List.of(HINTS.matcher(GUARD.matcher(sql).replaceFirst(""))
                            .replaceAll(hints -> hints.group().replace(",", "")));
        }

        @Override
        void parse(String sql, BaseErrorListener errors) {
            Lexer lexer = heard(new SQLServerStatementLexer(CharStreams.fromString(sql)), errors);
            SQLServerStatementParser parser = heard(new SQLServerStatementParser(new CommonTokenStream(lexer)), errors);
            parser.execute();
        }
    };

    private static final Pattern IMMEDIATE = Pattern.compile("execute immediate '([^']*)';");
    /** Of a long list of parameters, which takes seconds. */
    private static final Pattern MARKS = Pattern.compile("(\\?, ){20,}");

    private static final Pattern HINTS = Pattern.compile("with \\([a-z, ]+\\)");
    private static final Pattern GUARD = Pattern.compile("^if object_id\\('\\w+'\\) is null ");

    private final String product;

    SqlGrammar(String product) {
        this.product = product;
    }

    /** What the database calls itself. */
    public String product() {
        return product;
    }

    /** The parts of a statement that the parser gets: its grammar does not know the rest. */
    abstract List<String> parts(String sql);

    abstract void parse(String sql, BaseErrorListener errors);

    /** What is wrong with a statement; empty if nothing is. */
    public List<String> errors(String sql) {
        List<String> all = new ArrayList<>();
        for (String part : parts(MARKS.matcher(sql).replaceAll("?, "))) {
            parse(part, new BaseErrorListener() {
                @Override
                public void syntaxError(
                        Recognizer<?, ?> recognizer,
                        @Nullable Object symbol,
                        int line,
                        int column,
                        String message,
                        @Nullable RecognitionException e) {
                    all.add(part + " [" + line + ":" + column + "] " + message);
                }
            });
        }
        return all;
    }

    private static <R extends Recognizer<?, ?>> R heard(R recognizer, BaseErrorListener errors) {
        recognizer.removeErrorListeners();
        recognizer.addErrorListener(errors);
        return recognizer;
    }
}
