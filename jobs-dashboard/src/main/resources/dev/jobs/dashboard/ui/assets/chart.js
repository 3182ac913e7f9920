/**
 * Charts drawn as SVG, in pixels of the available space. The pointer or the arrow keys show the values at one position;
 * the same numbers are below as a table.
 */

import { html, useLayoutEffect, useRef, useState } from './html.js';
import { compact, number, t } from './i18n.js';

const LEAST_LEFT = 40;
/** Room for a letter of the scale in any font, and the distance from the lines. */
const LETTER = 8;
const SCALE_GAP = 8;
const BOTTOM = 20;
const TOP = 8;
const LABEL = 76;
const WIDEST_BAR = 44;

/** How far a key moves. */
const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };

/**
 * @typedef {{ name: string, values: (number | null)[], tone?: number }} Series null: unknown at that time; tone: its colour,
 *     if not that of its index
 */

function useSize() {
  const element = useRef(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const measure = () => setSize({ width: element.current.clientWidth, height: element.current.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return [element, size];
}

/**
 * A round number, not below the greatest value, that halves well.
 *
 * @param {number} greatest
 * @param {boolean} counts whether half of it must be whole
 */
function ceiling(greatest, counts) {
  if (greatest <= 1) return counts ? 2 : 1;
  const magnitude = 10 ** Math.floor(Math.log10(greatest));
  const steps = counts && magnitude === 1 ? [2, 4, 6, 8, 10] : [1, 2, 4, 5, 8, 10];
  return magnitude * steps.find((step) => step * magnitude >= greatest);
}

/**
 * The frame of a chart: scale, lines, labels below, marks of deployments, the values at one position, and all of them
 * as a table.
 *
 * @param {{ label: string, series: Series[], labels: string[], stacked?: boolean, low?: boolean, points?: boolean,
 *     axis?: string, times?: (number | null)[], deploys?: { at: number, label: string }[], format?: (value: number) => string,
 *     draw: (frame: { x: (i: number) => number, y: (value: number) => number, step: number, bottom: number }) =>
 *     unknown }} props points: values are at points from edge to edge, else in the middle of columns; axis: what the
 *     labels are, if not times; times: when each column begins, for the marks
 */
function Frame({ label, series, labels, stacked, low, points, axis, times, deploys, format, draw }) {
  const [element, { width, height }] = useSize();
  const [at, setAt] = useState(null);
  const [byKey, setByKey] = useState(false);
  const count = labels.length;
  const sums = labels.map((_, i) =>
    series.reduce((sum, { values }) => (stacked ? sum + values[i] : Math.max(sum, values[i])), 0),
  );
  const top = ceiling(Math.max(0, ...sums), !points);
  const bottom = height - BOTTOM;
  const shown = (value) => (value === 0 ? number(0) : (format ?? compact)(value));
  const scale = [0, top / 2, top].map((value) => ({ value, text: shown(value) }));
  const left = Math.max(LEAST_LEFT, SCALE_GAP + LETTER * Math.max(...scale.map(({ text }) => text.length)));
  const step = (width - left) / Math.max(points ? count - 1 : count, 1);
  const x = (i) => left + i * step;
  const y = (value) => bottom - (value / top) * (bottom - TOP);
  const isKnown = (i) => i >= 0 && i < count && series.some(({ values }) => values[i] !== null);
  const point = (event) => {
    const offset = (event.clientX - element.current.getBoundingClientRect().left - left) / step;
    const i = points ? Math.round(offset) : Math.floor(offset);
    setByKey(false);
    setAt(isKnown(i) ? i : null);
  };
  const press = (event) => {
    const move = event.key === 'Escape' ? 0 : KEYS[event.key];
    if (move === undefined) return;
    event.preventDefault();
    setByKey(move !== 0);
    setAt(move ? next(at ?? (move > 0 ? -1 : count), move, count, isKnown) : null);
  };
  const marks = (deploys ?? []).map((some) => ({ ...some, i: positionOf(times ?? [], some.at) })).filter(({ i }) => i !== null);
  const marksAt = (i) => marks.filter((mark) => Math.floor(mark.i) === i);
  const everyLabel = Math.max(1, Math.ceil((count * LABEL) / Math.max(width - left, 1)));
  const value = format ?? number;
  const tip = at !== null && isKnown(at) && { title: labels[at], series, at, format: value, marks: marksAt(at) };
  return html`
    <div
      class="chart ${low ? 'low' : ''}"
      ref=${element}
      role="group"
      tabindex="0"
      aria-label=${t('chart.label', label)}
      onPointerMove=${point}
      onPointerLeave=${() => setAt(null)}
      onKeyDown=${press}
      onBlur=${() => setAt(null)}
    >
      ${
        width > 0 &&
        html`
        <svg width=${width} height=${height} aria-hidden="true">
          ${scale.map(
            ({ value: line, text }) => html`
              <line class="grid" x1=${left} x2=${width} y1=${y(line)} y2=${y(line)} />
              <text x=${left - SCALE_GAP} y=${y(line) + 4} text-anchor="end">${text}</text>
            `,
          )}
          ${labels.map((text, i) => {
            const middle = x(points ? i : i + 0.5);
            if ((count - 1 - i) % everyLabel !== 0 || middle < left + 16 || middle > width - 24) return null;
            return html`<text x=${middle} y=${height - 4} text-anchor="middle">${text}</text>`;
          })}
          ${tip && points && html`<line class="cursor" x1=${x(at)} x2=${x(at)} y1=${TOP} y2=${bottom} />`}
          ${tip && !points && html`<rect class="cursor" x=${x(at)} y=${TOP} width=${step} height=${Math.max(bottom - TOP, 0)} />`}
          ${draw({ x, y, step, bottom })}
          ${marks.map(
            ({ i, label: name }) => html`
              <g class="mark" data-deploy=${name}>
                <line x1=${x(i)} x2=${x(i)} y1=${TOP} y2=${bottom} />
                <path d=${`M${x(i) - 4} ${TOP - 6}h8l-4 6z`} />
              </g>
            `,
          )}
        </svg>
      `
      }
      ${tip && html`<${Tip} x=${x(points ? at : at + 0.5)} width=${width} ...${tip} />`}
      <p class="visually-hidden" role="status">${tip && byKey && spoken(tip)}</p>
    </div>
    <${AsTable} label=${label} axis=${axis} labels=${labels} series=${series} format=${value} marksAt=${marksAt} isKnown=${isKnown} />
  `;
}

/** The next known value in a direction, or else the one that is known last. */
function next(at, move, count, isKnown) {
  const direction = Math.sign(move);
  const goal = Math.min(Math.max(at + move, 0), count - 1);
  for (let i = goal; i >= 0 && i < count; i += direction) if (isKnown(i)) return i;
  for (let i = goal; i >= 0 && i < count; i -= direction) if (isKnown(i)) return i;
  return null;
}

/** The position of a moment among columns that begin at these times, as a fraction; null if it is before or after them. */
function positionOf(times, at) {
  const i = times.findLastIndex((time) => time !== null && time <= at);
  if (i < 0) return null;
  const step = (times[i + 1] ?? 2 * times[i] - (times[i - 1] ?? times[i])) - times[i];
  const part = step > 0 ? (at - times[i]) / step : 0;
  return part < 1 ? i + part : null;
}

const spoken = ({ title, series, at, format, marks }) =>
  [title, ...series.map(({ name, values }) => `${format(values[at])} ${name}`), ...marks.map(({ label }) => t('chart.deploy', label))].join(', ');

/** All values, built once somebody opens it. */
function AsTable({ label, axis, labels, series, format, marksAt, isKnown }) {
  const [open, setOpen] = useState(false);
  return html`
    <details class="as-table" onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary>${t('chart.table')}<span class="visually-hidden"> ${label}</span></summary>
      ${
        open &&
        html`
        <div class="values" tabindex="0" role="region" aria-label=${label}>
          <table>
            <thead>
              <tr><th scope="col">${axis ?? t('chart.time')}</th>${series.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr>
            </thead>
            <tbody>
              ${labels.map(
                (text, i) =>
                  isKnown(i) &&
                  html`
                  <tr key=${i}>
                    <th scope="row">${text}${marksAt(i).map((mark) => html` <span class="badge">${t('chart.deploy', mark.label)}</span>`)}</th>
                    ${series.map(({ values }) => html`<td>${format(values[i])}</td>`)}
                  </tr>
                `,
              )}
            </tbody>
          </table>
        </div>
      `
      }
    </details>
  `;
}

const Tip = ({ x, width, title, series, at, format, marks }) => html`
  <div
    class="tip"
    style=${{ transform: x > width / 2 ? `translateX(${x - 12}px) translateX(-100%)` : `translateX(${x + 12}px)` }}
  >
    ${title}${series.map(({ name, values }) => html`<br /><b>${format(values[at])}</b> ${name}`)}
    ${marks.map(({ label }) => html`<br />${t('chart.deploy', label)}`)}
  </div>
`;

/**
 * Values over time as lines with areas, with a gap where values are missing. When `moving`, a new point slides in from the
 * right.
 *
 * @param {{ label: string, series: Series[], labels: string[], moving?: { key: number, millis: number }, bare?: boolean,
 *     low?: boolean, format?: (value: number) => string }} props bare: without areas, for lines that lie above each other
 */
export function LineChart({ moving, bare, ...props }) {
  const draw = ({ x, y, step }) => {
    const at = (i, value) => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
    // A point without neighbours is drawn as a line to itself.
    const line = (part) => `M${part.map(([i, value]) => at(i, value)).join('L')}${part.length > 1 ? '' : 'h0'}`;
    const area = (part) => `${line(part)}L${at(part.at(-1)[0], 0)}L${at(part[0][0], 0)}Z`;
    const motion = moving ? { '--step': `${step}px`, '--step-time': `${moving.millis}ms` } : {};
    return html`
      <g key=${moving?.key} class=${moving ? 'slide' : ''} style=${motion}>
        ${props.series.map(
          ({ values, tone }, i) => html`
            ${!bare && html`<path class="area series-${tone ?? i}" d=${known(values).map(area).join('')} />`}
            <path class="line series-${tone ?? i}" d=${known(values).map(line).join('')} />
          `,
        )}
      </g>
    `;
  };
  return html`<${Frame} ...${props} points draw=${draw} />`;
}

/** The parts of a line between gaps, as positions and values. @returns {[number, number][][]} */
function known(values) {
  const parts = [];
  values.forEach((value, i) => {
    if (value === null) return;
    if (i && values[i - 1] !== null) parts.at(-1).push([i, value]);
    else parts.push([[i, value]]);
  });
  return parts;
}

/** Counts as stacked bars. @param {{ label: string, series: Series[], labels: string[], low?: boolean }} props */
export function BarChart(props) {
  const draw = ({ x, y, step, bottom }) => {
    const wide = Math.min(step * 0.8, WIDEST_BAR);
    return props.labels.map((_, i) => {
      let base = 0;
      return props.series.map(({ values, tone }, which) => {
        if (!values[i]) return null;
        const from = y(base);
        base += values[i];
        const high = Math.max(from - y(base), 1);
        return html`
          <rect
            class="bar series-${tone ?? which}"
            x=${x(i) + (step - wide) / 2}
            y=${Math.min(from - high, bottom - 1)}
            width=${wide}
            height=${high}
            rx=${Math.min(2, wide / 4)}
          />
        `;
      });
    });
  };
  return html`<${Frame} ...${props} stacked draw=${draw} />`;
}

/** The legend of a chart. @param {{ names: string[], tones?: number[] }} props */
export const Legend = ({ names, tones }) => html`
  <div class="legend">${names.map((name, i) => html`<span><i class="series-${tones?.[i] ?? i}"></i>${name}</span>`)}</div>
`;

const SPARK_WIDTH = 90;
const SPARK_HEIGHT = 20;

/**
 * Executions over time, as large as a word. The numbers are beside it, so screen readers skip it.
 *
 * @param {{ of: { counts: number[], failed: number[] } }} props failed: how many of each count failed
 */
export function Spark({ of: { counts, failed } }) {
  const most = Math.max(...counts, 1);
  const step = SPARK_WIDTH / counts.length;
  const bar = (kind, value, i) =>
    value > 0 &&
    html`
      <rect
        class="bar series-${kind}"
        x=${i * step}
        y=${SPARK_HEIGHT - Math.max((value / most) * SPARK_HEIGHT, 1)}
        width=${Math.max(step - 1, 1)}
        height=${Math.max((value / most) * SPARK_HEIGHT, 1)}
      />
    `;
  return html`
    <svg class="spark" width=${SPARK_WIDTH} height=${SPARK_HEIGHT} aria-hidden="true">
      ${counts.map((count, i) => html`${bar(0, count, i)}${bar(1, failed[i], i)}`)}
    </svg>
  `;
}
