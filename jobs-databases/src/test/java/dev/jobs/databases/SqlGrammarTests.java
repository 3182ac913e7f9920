package dev.jobs.databases;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlGrammarTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select a from t order by a limit 5",
                "insert into t (a) values (?) on conflict (a) do nothing",
                "create table if not exists t (a int)",
                "select top 5 a from t",
                "select a from t with (updlock) where a = 1",
                "create table t (a nvarchar(max))",
                "begin execute immediate 'create table if not exists t (a int)'; end;",
            })
    void oracleRefuses(String sql) {
        assertThat(SqlGrammar.ORACLE.errors(sql)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select a from t order by a limit 5",
                "insert into t (a) values (?) on conflict (a) do nothing",
                "create table if not exists t (a int)",
                "if object_id('t') is null create table if not exists t (a int)",
                "select a from t order by a fetch first 5 rows only",
                "select a from t for update skip locked",
            })
    void sqlServerRefuses(String sql) {
        assertThat(SqlGrammar.SQL_SERVER.errors(sql)).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void bothTakeWhatIsTheSame(SqlGrammar grammar) {
        assertThat(grammar.errors("select a, count(*) from t where b = ? group by a order by a"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ORACLE | select a from t where rownum = 1 for update skip locked
            SQL_SERVER | select top (1) a from t with (updlock, readpast, rowlock) where b = ?
            """)
    void eachTakesItsOwn(SqlGrammar grammar, String sql) {
        assertThat(grammar.errors(sql)).isEmpty();
    }
}
