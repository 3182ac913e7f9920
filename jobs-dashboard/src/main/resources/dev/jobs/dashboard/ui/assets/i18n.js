/** Texts from the message bundles; numbers and times in the format of the chosen language. */

import { session } from './api.js';
import { chosenLanguage } from './settings.js';
import { store } from './store.js';

/** The languages with messages. */
export const LANGUAGES = ['en', 'de', 'fr'];

/** Changes when the texts of another language are loaded. */
export const language = store('');

let messages = {};
let formats = makeFormats('en');

/** The first available one of some languages. */
const pick = (wishes) => wishes.map((tag) => tag?.slice(0, 2)).find((tag) => LANGUAGES.includes(tag)) ?? 'en';

const texts = async (tag) => (await fetch(new URL(`../messages/${tag}.json`, import.meta.url))).json();

/** @type {{ tag: string, texts: Promise<Record<string, string> | null> | null }} */
let likely = { tag: '', texts: null };

/** Asks for the texts of the language that it will most likely be, before the session says what the user prefers. */
export function foreseeLanguage() {
  const tag = pick([chosenLanguage.get(), ...navigator.languages]);
  likely = { tag, texts: texts(tag).catch(() => null) };
}

/** Loads the texts of the chosen language, or else of the first available one that the browser prefers. */
export async function loadLanguage() {
  const next = pick([chosenLanguage.get(), session.get().locale, ...navigator.languages]);
  messages = (next === likely.tag && (await likely.texts)) || (await texts(next));
  formats = makeFormats(next);
  document.documentElement.lang = next;
  language.set(next);
}

/** The name of a language in that language. @param {string} tag */
export const languageName = (tag) => new Intl.DisplayNames([tag], { type: 'language' }).of(tag);

/**
 * The text of a key, in which `{0}`, `{1}` … are replaced by the values. Numbers among them are formatted.
 *
 * @param {string} key
 * @param {...unknown} values
 */
export const t = (key, ...values) => fill(messages[key] ?? key, values);

/** A text that depends on a count, its first value: the key ends with the plural form, as in `jobs.one` and `jobs.other`. */
export const plural = (key, count, ...values) =>
  fill(messages[`${key}.${formats.plural.select(count)}`] ?? messages[`${key}.other`] ?? key, [count, ...values]);

const fill = (text, values) =>
  text.replace(/\{(\d)\}/g, (_, index) => (typeof values[index] === 'number' ? number(values[index]) : values[index]));

/** Whether there is a text for a key: a newer server may send new codes. */
export const knows = (key) => key in messages;

function makeFormats(tag) {
  // Uses the browser's region if its language is the same: Swiss numbers for a Swiss reader.
  const locale = navigator.languages.find((candidate) => candidate.startsWith(tag)) ?? tag;
  const unit = (name, digits = 0) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'narrow', maximumFractionDigits: digits });
  return {
    plural: new Intl.PluralRules(locale),
    number: new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }),
    compact: new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }),
    percent: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }),
    exact: new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' }),
    dateTime: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }),
    minute: new Intl.DateTimeFormat(locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: '2-digit',
    }),
    date: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    time: new Intl.DateTimeFormat(locale, { timeStyle: 'short' }),
    seconds: new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' }),
    units: {
      millisecond: unit('millisecond'),
      second: unit('second', 1),
      minute: unit('minute'),
      hour: unit('hour'),
      day: unit('day'),
    },
    bytes: ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'].map(
      (name) =>
        new Intl.NumberFormat(locale, {
          style: 'unit',
          unit: name,
          unitDisplay: name === 'byte' ? 'long' : 'short',
          maximumFractionDigits: 1,
        }),
    ),
  };
}

const UNKNOWN = '–';
const shown = (value, format) => (value === null || value === undefined ? UNKNOWN : format(value));

export const number = (value) => shown(value, formats.number.format);
export const compact = (value) =>
  shown(value, (some) => (some < 10000 ? formats.number : formats.compact).format(some));
export const percent = (value) => shown(value, formats.percent.format);

/** @param {number} millis since 1970, as all times of the API */
export const exactTime = (millis) => shown(millis, formats.exact.format);
export const dateTime = (millis) => shown(millis, formats.dateTime.format);
/** The time zone of all times but the days of statistics. */
export const zone = () => formats.minute.resolvedOptions().timeZone;

/** To the minute, for times of this month or so. */
export const minuteTime = (millis) => formats.minute.format(millis);
/** A day of the statistics, which are kept by UTC. @param {string} isoDay */
export const day = (isoDay) => formats.date.format(Date.parse(`${isoDay}T00:00:00Z`));
export const clock = (millis) => formats.time.format(millis);
export const clockSeconds = (millis) => formats.seconds.format(millis);

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** The server's time is known from numbers that are up to two seconds old. */
const UNSURE_SECONDS = 2;

/** "3 minutes ago", "in 2 hours". */
export function relative(millis, now) {
  const rounded = Math.round((millis - now) / 1000);
  const seconds = rounded > 0 && rounded <= UNSURE_SECONDS ? 0 : rounded;
  const [unit, size] = STEPS.find(([, least]) => Math.abs(seconds) >= least) ?? STEPS.at(-1);
  return formats.relative.format(Math.trunc(seconds / size), unit);
}

/** "1.2s", "4m 10s": the two greatest units. @param {number} millis */
export function duration(millis) {
  if (millis === null || millis === undefined) return UNKNOWN;
  const { units } = formats;
  if (millis < 1) return `< ${units.millisecond.format(1)}`;
  if (millis < 1000) return units.millisecond.format(Math.round(millis));
  const seconds = millis / 1000;
  if (seconds < 60) return units.second.format(seconds);
  const at = STEPS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = STEPS[at];
  const [nextUnit, nextSize] = STEPS[at + 1];
  const rest = Math.floor((seconds % size) / nextSize);
  const whole = units[unit].format(Math.floor(seconds / size));
  return rest ? `${whole} ${units[nextUnit].format(rest)}` : whole;
}

/** @param {number} count */
export function bytes(count) {
  if (count === null || count === undefined) return UNKNOWN;
  const power = count < 1 ? 0 : Math.min(Math.floor(Math.log2(count) / 10), formats.bytes.length - 1);
  return formats.bytes[power].format(count / 1024 ** power);
}
