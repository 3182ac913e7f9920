/** What several pages show of executions over time: how many there were, and how long they took. */

import { Card } from '../basics.js';
import { BarChart, Legend, LineChart } from '../chart.js';
import { html } from '../html.js';
import { clock, duration, minuteTime, t } from '../i18n.js';
import { serverNow } from '../live.js';

/** The histograms say nothing below their first bound, and nothing above the last one. */
const SHORTEST_MILLIS = 20;
const LONGEST_MILLIS = 335_000;
const DAY_MILLIS = 86_400_000;

const PARTS = ['p50', 'p95', 'p99'];
/** Colours of these lines. */
const TONES = [0, 2, 1];

/** A duration that was estimated from a histogram. @param {number | null} millis */
export function estimated(millis) {
  if (millis === null || millis === undefined) return '–';
  if (millis < SHORTEST_MILLIS) return t('duration.below', duration(SHORTEST_MILLIS));
  return millis < LONGEST_MILLIS ? duration(rounded(millis)) : t('duration.above', duration(LONGEST_MILLIS));
}

/** To two digits: an estimate knows no more. */
function rounded(millis) {
  const unit = 10 ** Math.max(Math.floor(Math.log10(millis)) - 1, 0);
  return Math.round(millis / unit) * unit;
}

/** The percentiles of durations in a cell of a table. @param {{ of: { p50: number, p95: number, p99: number } | null }} props */
export const Spread = ({ of }) => html`
  <span class="spread">${PARTS.map((part) => html`<span><span class="part">${part}</span> ${estimated(of?.[part])}</span>`)}</span>
`;

/**
 * A series without the steps that are empty, with them.
 *
 * @param {[number, ...unknown[]][]} series each step by its time first
 * @param {number} steps how many there are
 * @param {number} step in milliseconds
 * @param {unknown[]} empty what an empty step has after its time
 */
export function everyStep(series, steps, step, empty) {
  const last = Math.floor(serverNow() / step) * step;
  const known = new Map(series.map((point) => [point[0], point]));
  return Array.from({ length: steps }, (_, i, at = last - i * step) => known.get(at) ?? [at, ...empty]).reverse();
}

/** The label of a step: with the day where the period has several. */
export const stepLabel = (steps) => (steps.at(-1)[0] - steps[0][0] > DAY_MILLIS ? minuteTime : clock);

/**
 * How many executions there were, and how many of them failed.
 *
 * @param {{ title: string, steps: number[][], deploys: object[], failures?: boolean }} props failures: only those, which are few
 */
export function Runs({ title, steps, deploys, failures }) {
  const names = [t('history.succeeded'), t('tile.failed')];
  const label = stepLabel(steps);
  const failed = { name: names[1], tone: 1, values: steps.map(([, , count]) => count) };
  const succeeded = { name: names[0], values: steps.map(([, count, others]) => Math.max(count - others, 0)) };
  return html`
    <${Card} title=${title} aside=${!failures && html`<${Legend} names=${names} />`}>
      <${BarChart}
        low
        label=${title}
        labels=${steps.map(([at]) => label(at))}
        times=${steps.map(([at]) => at)}
        deploys=${deploys}
        series=${failures ? [failed] : [succeeded, failed]}
      />
    <//>
  `;
}

/**
 * What a half, 95 % and 99 % of durations did not exceed.
 *
 * @param {{ title: string, steps: (number | null)[][], deploys: object[] }} props steps: each has the three after its time
 */
export function Percentiles({ title, steps, deploys }) {
  const label = stepLabel(steps);
  return html`
    <${Card} title=${title} aside=${html`<${Legend} names=${PARTS} tones=${TONES} />`}>
      <${LineChart}
        low
        bare
        label=${title}
        format=${estimated}
        labels=${steps.map(([at]) => label(at))}
        times=${steps.map(([at]) => at)}
        deploys=${deploys}
        series=${PARTS.map((name, i) => ({ name, tone: TONES[i], values: steps.map((step) => step[i + 1]) }))}
      />
    <//>
  `;
}
