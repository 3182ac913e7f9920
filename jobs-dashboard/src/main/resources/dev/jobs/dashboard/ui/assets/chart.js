/** Charts drawn as SVG, in pixels of the available space. Values on hover; the label summarises the chart for screen readers. */

import { html, useLayoutEffect, useRef, useState } from './html.js';
import { compact, number } from './i18n.js';

const LEAST_LEFT = 40;
/** Room for a letter of the scale in any font, and the distance from the lines. */
const LETTER = 8;
const SCALE_GAP = 8;
const BOTTOM = 20;
const TOP = 8;
const LABEL = 76;
const WIDEST_BAR = 44;

/** @typedef {{ name: string, values: (number | null)[] }} Series null: unknown at that time */

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

/** A round number, not below the greatest value, that halves well. @param {number} greatest */
function ceiling(greatest) {
  if (greatest <= 1) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(greatest));
  return magnitude * [1, 2, 4, 5, 8, 10].find((step) => step * magnitude >= greatest);
}

/**
 * The frame of a chart: scale, lines, labels below, and the value under the pointer.
 *
 * @param {{ label: string, series: Series[], labels: string[], stacked?: boolean, low?: boolean, points?: boolean,
 *     format?: (value: number) => string,
 *     draw: (place: { x: (i: number) => number, y: (value: number) => number, step: number, bottom: number }) => unknown }} props
 *     points: values are at points from edge to edge, else in the middle of columns
 */
function Frame({ label, series, labels, stacked, low, points, format, draw }) {
  const [element, { width, height }] = useSize();
  const [at, setAt] = useState(null);
  const count = labels.length;
  const sums = labels.map((_, i) =>
    series.reduce((sum, { values }) => (stacked ? sum + values[i] : Math.max(sum, values[i])), 0),
  );
  const top = ceiling(Math.max(0, ...sums));
  const bottom = height - BOTTOM;
  const scale = [0, top / 2, top].map((value) => ({ value, text: (format ?? compact)(value) }));
  const left = Math.max(LEAST_LEFT, SCALE_GAP + LETTER * Math.max(...scale.map(({ text }) => text.length)));
  const step = (width - left) / Math.max(points ? count - 1 : count, 1);
  const x = (i) => left + i * step;
  const y = (value) => bottom - (value / top) * (bottom - TOP);
  const point = (event) => {
    const offset = (event.clientX - element.current.getBoundingClientRect().left - left) / step;
    const i = points ? Math.round(offset) : Math.floor(offset);
    setAt(i >= 0 && i < count && series[0].values[i] !== null ? i : null);
  };
  const everyLabel = Math.max(1, Math.ceil((count * LABEL) / Math.max(width - left, 1)));
  return html`
    <div
      class="chart ${low ? 'low' : ''}"
      ref=${element}
      role="img"
      aria-label=${label}
      onPointerMove=${point}
      onPointerLeave=${() => setAt(null)}
    >
      ${
        width > 0 &&
        html`
        <svg width=${width} height=${height}>
          ${scale.map(
            ({ value, text }) => html`
              <line class="grid" x1=${left} x2=${width} y1=${y(value)} y2=${y(value)} />
              <text x=${left - SCALE_GAP} y=${y(value) + 4} text-anchor="end">${text}</text>
            `,
          )}
          ${labels.map((text, i) => {
            const middle = x(points ? i : i + 0.5);
            if ((count - 1 - i) % everyLabel !== 0 || middle < left + 16 || middle > width - 24) return null;
            return html`<text x=${middle} y=${height - 4} text-anchor="middle">${text}</text>`;
          })}
          ${at !== null && points && html`<line class="cursor" x1=${x(at)} x2=${x(at)} y1=${TOP} y2=${bottom} />`}
          ${draw({ x, y, step, bottom, width })}
        </svg>
      `
      }
      ${
        at !== null &&
        at < count &&
        html`
          <${Tip}
            x=${x(points ? at : at + 0.5)}
            width=${width}
            title=${labels[at]}
            series=${series}
            at=${at}
            format=${format ?? number}
          />
        `
      }
    </div>
  `;
}

const Tip = ({ x, width, title, series, at, format }) => html`
  <div
    class="tip"
    style=${{ transform: x > width / 2 ? `translateX(${x - 12}px) translateX(-100%)` : `translateX(${x + 12}px)` }}
  >
    ${title}${series.map(({ name, values }) => html`<br /><b>${format(values[at])}</b> ${name}`)}
  </div>
`;

/**
 * Values over time as lines with areas, with a gap where values are missing. When `moving`, a new point slides in from the
 * right.
 *
 * @param {{ label: string, series: Series[], labels: string[], moving?: { key: number, millis: number }, low?: boolean,
 *     format?: (value: number) => string }} props
 */
export function LineChart({ moving, ...props }) {
  const draw = ({ x, y, step }) => {
    const at = (i, value) => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`;
    // A point without neighbours is drawn as a line to itself.
    const line = (part) => `M${part.map(([i, value]) => at(i, value)).join('L')}${part.length > 1 ? '' : 'h0'}`;
    const area = (part) => `${line(part)}L${at(part.at(-1)[0], 0)}L${at(part[0][0], 0)}Z`;
    const motion = moving ? { '--step': `${step}px`, '--step-time': `${moving.millis}ms` } : {};
    return html`
      <g key=${moving?.key} class=${moving ? 'slide' : ''} style=${motion}>
        ${props.series.map(
          ({ values }, i) => html`
            <path class="area series-${i}" d=${known(values).map(area).join('')} />
            <path class="line series-${i}" d=${known(values).map(line).join('')} />
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
      return props.series.map(({ values }, which) => {
        if (!values[i]) return null;
        const from = y(base);
        base += values[i];
        const high = Math.max(from - y(base), 1);
        return html`
          <rect
            class="bar series-${which}"
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

/** The legend of a chart. @param {{ names: string[] }} props */
export const Legend = ({ names }) => html`
  <div class="legend">${names.map((name, i) => html`<span><i class="series-${i}"></i>${name}</span>`)}</div>
`;
