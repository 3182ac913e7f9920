import { html } from './html.js';

const SHAPES = {
  overview: 'M3 12h4l3-8 4 16 3-8h4',
  queues: 'M4 6h16M4 12h16M4 18h10',
  batches: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  history: 'M4 12a8 8 0 1 0 2.500-5.800L4 8.500M4 4v4.500h4.500M12 8v4.500l3 2',
  scheduled: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  retries: 'M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5',
  dead: 'M9 20v-3c-2.5-1-4-3-4-6a7 7 0 0 1 14 0c0 3-1.500 5-4 6v3zM9.500 11h.01M14.500 11h.01',
  busy: 'M4 5h16v11H4zM8 20h8M12 16v4',
  failures: 'M3 6l6 6 4-4 8 9M21 11v6h-6',
  divisions: 'M12 3 4 6v12l8 3 8-3V6zM4 6l8 3 8-3M12 9v12',
  metrics: 'M4 20V10M10 20V4M16 20v-8M22 20H2',
  recurring: 'M7 3v3M17 3v3M4 8h16M4 5h16v15H4zM9 14l2 2 4-4',
  limits: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3M12 15v2',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  run: 'M7 4.500v15l12-7.500z',
  pause: 'M8 5v14M16 5v14',
  resume: 'M5 5v14M10 5v14l10-7z',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500 20 20',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM13.500 7.500l3 3',
  undo: 'M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
  stack: 'M12 3 3 8l9 5 9-5zM3 12l9 5 9-5M3 16l9 5 9-5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500 19 19M5 19l1.500-1.500M17.500 6.500 19 5',
  switch: 'M8 9l4-4 4 4M8 15l4 4 4-4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  remove: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12h8',
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  warning: 'M12 4 2.500 20h19zM12 10v4M12 17h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8h.01',
  error: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9l6 6M15 9l-6 6',
  check: 'M4 13l5 5L20 6',
  brand: 'M4 7h10M4 12h7M4 17h4M14 13l3 3 5-7',
};

/** An icon beside a text with the same meaning, the same for all that have none of their own; screen readers skip it. @param {{ name: keyof SHAPES }} props */
export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${SHAPES[name] ?? SHAPES.stack} /></svg>`;
