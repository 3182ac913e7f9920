package dev.jobs.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments as Rails writes them, and the values bound from them. */
@Tag("sidekiq-26")
class ActiveJobArgumentsTests {

    private static String unwrapped(String arguments) throws ArgumentException {
        String args = "[{\"job_class\":\"ReportJob\",\"arguments\":" + arguments + ",\"executions\":0}]";
        return new String(ActiveJobArguments.unwrap(args.getBytes(UTF_8)), UTF_8);
    }

    private static String serialized(String serializer, String value) {
        return "{\"_aj_serialized\":\"ActiveJob::Serializers::" + serializer + "\",\"value\":" + value + "}";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "[1,1.0,null,true,\"é😀\",[],{}]",
                "[ 1 , { \"a\" : 0.12345678901234567890 } ]",
                "[12345678901234567890123456789,1e400]",
                "[{\"_aj\":1}]"
            })
    void argumentsWithoutMarksKeepTheirBytes(String arguments) throws ArgumentException {
        assertThat(unwrapped(arguments)).isEqualTo(arguments);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'a':1,'_aj_symbol_keys':['a']}                             | {'a':1}",
                "{'to':'bob','_aj_ruby2_keywords':['to']}                    | {'to':'bob'}",
                "{'_aj_hash_with_indifferent_access':true,'a':{'b':[1,2]}}   | {'a':{'b':[1,2]}}",
                "{'_aj_symbol_keys':[]}                                      | {}",
                "{'a':[{'b':1.50,'_aj_symbol_keys':['b']}],'c':1e400}        | {'a':[{'b':1.50}],'c':1e400}",
                "{'_aj_globalid':'gid://shop/Order/7'}                       | 'gid://shop/Order/7'",
                "{'_aj_globalid':'gid://shop/Order/7','x':1}                 | {'_aj_globalid':'gid://shop/Order/7','x':1}",
                "{'_aj_globalid':7}                                          | {'_aj_globalid':7}",
                "{'_aj_serialized':'MoneySerializer','cents':5}              | {'_aj_serialized':'MoneySerializer','cents':5}"
            })
    void marksAreTakenOffAndNothingElse(String stored, String bound) throws ArgumentException {
        assertThat(unwrapped("[" + stored.replace('\'', '"') + "]")).isEqualTo("[" + bound.replace('\'', '"') + "]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SymbolSerializer       | \"weekly\"                         | \"weekly\"",
                "TimeSerializer         | \"2026-11-21T08:00:00.500000000Z\" | \"2026-11-21T08:00:00.500000000Z\"",
                "DateTimeSerializer     | \"2026-11-21T08:00:00.000000000+01:00\" | \"2026-11-21T08:00:00.000000000+01:00\"",
                "TimeWithZoneSerializer | \"2026-11-21T08:00:00.000000000Z\",\"time_zone\":\"Berlin\" | \"2026-11-21T08:00:00.000000000Z\"",
                "DateSerializer         | \"2026-11-21\"                     | \"2026-11-21\"",
                "BigDecimalSerializer   | \"1234567890.0123456789\"          | \"1234567890.0123456789\"",
                "DurationSerializer     | 5400,\"parts\":[]                 | \"PT1H30M\"",
                "DurationSerializer     | 1.5                                | \"PT1.5S\"",
                "DurationSerializer     | -1.25                              | \"PT-1.25S\"",
                "DurationSerializer     | 0                                  | \"PT0S\""
            })
    void valuesAreWhatTheirSerializerWrote(String serializer, String value, String bound) throws ArgumentException {
        assertThat(unwrapped("[" + serialized(serializer, value) + "]")).isEqualTo("[" + bound + "]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SymbolSerializer   | 7",
                "ModuleSerializer   | \"Shop\"",
                "RangeSerializer    | [1,2,false]",
                "DurationSerializer | \"3/2\"",
                "DurationSerializer | 1e400",
                "DurationSerializer | 99999999999999999999"
            })
    void unknownMarksStayAsTheyAre(String serializer, String value) throws ArgumentException {
        String stored = serialized(serializer, value);
        assertThat(unwrapped("[" + stored + "]")).isEqualTo("[" + stored + "]");
    }

    record Options(String kind, Duration every, List<LocalDate> days) {}

    @Test
    void allOfItFitsTheTypesOfJava() throws ArgumentException {
        String arguments = "[{\"_aj_globalid\":\"gid://shop/Order/7\"},"
                + serialized("TimeWithZoneSerializer", "\"2026-11-21T08:00:00.250000000Z\",\"time_zone\":\"UTC\"") + ","
                + serialized("BigDecimalSerializer", "\"9.90\"") + ","
                + "{\"kind\":" + serialized("SymbolSerializer", "\"weekly\"") + ",\"every\":"
                + serialized("DurationSerializer", "604800") + ",\"days\":["
                + serialized("DateSerializer", "\"2026-11-21\"")
                + "],\"_aj_symbol_keys\":[\"kind\",\"every\",\"days\"]}]";
        List<Type> types = List.of(String.class, Instant.class, BigDecimal.class, Options.class);

        Object[] bound = new ArgumentCodec()
                .decode(
                        unwrapped(arguments).getBytes(UTF_8),
                        types.stream().map(type -> new ParameterType("p", type)).toList());

        assertThat(bound)
                .containsExactly(
                        "gid://shop/Order/7",
                        Instant.parse("2026-11-21T08:00:00.25Z"),
                        new BigDecimal("9.90"),
                        new Options("weekly", Duration.ofDays(7), List.of(LocalDate.parse("2026-11-21"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"[]", "[1]", "[\"ReportJob\"]", "[{}]", "[{\"arguments\":{}}]", "[{\"arguments\":null}]", "{}"})
    void anEnvelopeWithoutArgumentsIsAnError(String args) {
        assertThatThrownBy(() -> ActiveJobArguments.unwrap(args.getBytes(UTF_8)))
                .isInstanceOf(ArgumentException.class)
                .hasMessageContaining("Active Job");
    }

    @Test
    void aNameThatIsNoTextIsAnErrorAndNotACrash() {
        assertThatThrownBy(() -> unwrapped("[{\"\\ud800\":1,\"_aj_symbol_keys\":[]}]"))
                .isInstanceOf(ArgumentException.class);
    }
}
