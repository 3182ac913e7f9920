/** The states of many jobs as a field of cells, drawn on a canvas, which the pointer and the keyboard can walk through. */

import { html, useEffect, useLayoutEffect, useRef, useState } from './html.js';
import { theme } from './settings.js';
import { useStore } from './store.js';

const MOST_HEIGHT = 300;
const LEAST_CELL = 3;
const MOST_CELL = 16;
/** From this size on there is a gap between cells. */
const GAP_FROM = 5;
const NONE = '.';
const DARK = matchMedia('(prefers-color-scheme: dark)');

/** The width of an element, in whole pixels. */
function useWidth(element) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setWidth(element.current.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(element.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Changes with light and dark, by the user's choice or by the system. */
function useScheme() {
  const chosen = useStore(theme);
  const [dark, setDark] = useState(DARK.matches);
  useEffect(() => {
    const changed = () => setDark(DARK.matches);
    DARK.addEventListener('change', changed);
    return () => DARK.removeEventListener('change', changed);
  }, []);
  return chosen ?? dark;
}

/** The size of a cell, and how many are in a row, so that all fit into the height if they are not too small then. */
function layout(count, width) {
  const fitting = Math.floor(Math.sqrt((width * MOST_HEIGHT) / Math.max(count, 1)));
  const size = Math.min(Math.max(fitting, LEAST_CELL), MOST_CELL);
  const columns = Math.max(Math.floor(width / size), 1);
  return { size, columns, height: Math.ceil(count / columns) * size };
}

/** The colours of the states as the sheet has them now. Only elements know them. */
function coloursOf(element) {
  const probe = element.appendChild(document.createElement('i'));
  const colours = {};
  for (const letter of 'qwrvsfdxkl') {
    probe.className = `state-${letter}`;
    colours[letter] = getComputedStyle(probe).backgroundColor;
  }
  probe.remove();
  return colours;
}

function draw(canvas, { cells, failing }, { size, columns, height }, width, colours) {
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const paper = canvas.getContext('2d');
  paper.scale(ratio, ratio);
  const side = size - (size >= GAP_FROM ? 1 : 0);
  const inner = Math.ceil(side * 0.75);
  for (let i = 0; i < cells.length; i++) {
    const x = (i % columns) * size;
    const y = Math.floor(i / columns) * size;
    if (cells[i] !== NONE) {
      paper.fillStyle = colours[cells[i]];
      paper.fillRect(x, y, side, side);
    }
    if (failing && failing[i] !== NONE && failing[i] !== cells[i]) {
      paper.fillStyle = colours[failing[i]];
      paper.fillRect(x + side - inner, y + side - inner, inner, inner);
    }
  }
}

/**
 * @param {{ field: { cells: string, failing: string }, label: string, describe: (cell: number) => string,
 *     onOpen: (cell: number) => void }} props describe: what a cell shows, for people
 */
export function Cells({ field, label, describe, onOpen }) {
  const frame = useRef(null);
  const canvas = useRef(null);
  const width = useWidth(frame);
  const scheme = useScheme();
  const [at, setAt] = useState(null);
  const [cursor, setCursor] = useState(0);
  const count = field.cells.length;
  const shape = layout(count, width);
  useEffect(() => {
    if (width > 0) draw(canvas.current, field, shape, width, coloursOf(frame.current));
  }, [field, width, scheme]);
  const cellAt = ({ clientX, clientY }) => {
    const box = canvas.current.getBoundingClientRect();
    const column = Math.floor((clientX - box.left) / shape.size);
    const cell = Math.floor((clientY - box.top) / shape.size) * shape.columns + column;
    return column >= 0 && column < shape.columns && cell >= 0 && cell < count ? cell : null;
  };
  const open = (cell) => cell !== null && field.cells[cell] !== NONE && onOpen(cell);
  const key = (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -shape.columns, ArrowDown: shape.columns };
    const target = { Home: 0, End: count - 1 }[event.key] ?? cursor + steps[event.key];
    if (event.key === 'Enter') open(cursor);
    else if (Number.isNaN(target)) return;
    else if (target >= 0 && target < count) move(target);
    event.preventDefault();
  };
  const move = (cell) => {
    setCursor(cell);
    setAt(cell);
  };
  const shown = at !== null && at < count ? at : null;
  const x = shown === null ? 0 : (shown % shape.columns) * shape.size;
  const y = shown === null ? 0 : Math.floor(shown / shape.columns) * shape.size;
  return html`
    <div class="cells" ref=${frame}>
      <canvas
        ref=${canvas}
        role="slider"
        tabindex="0"
        aria-label=${label}
        aria-valuemin="0"
        aria-valuemax=${Math.max(count - 1, 0)}
        aria-valuenow=${Math.min(cursor, Math.max(count - 1, 0))}
        aria-valuetext=${count ? describe(Math.min(cursor, count - 1)) : ''}
        style=${{ width: `${width}px`, height: `${shape.height}px` }}
        onPointerMove=${(event) => setAt(cellAt(event))}
        onPointerLeave=${() => setAt(null)}
        onFocus=${(event) => event.target.matches(':focus-visible') && setAt(cursor)}
        onBlur=${() => setAt(null)}
        onClick=${(event) => open(cellAt(event))}
        onKeyDown=${key}
      ></canvas>
      ${
        shown !== null &&
        html`
        <span class="cell-mark" style=${{ width: `${shape.size + 1}px`, height: `${shape.size + 1}px`, transform: `translate(${x - 1}px, ${y - 1}px)` }}></span>
        <div class="tip" style=${{ transform: `translate(${x}px, ${y}px) translate(${x > width / 2 ? '-105%' : '16px'}, ${y > 60 ? '-110%' : '16px'})` }}>${describe(shown)}</div>
      `
      }
    </div>
  `;
}
