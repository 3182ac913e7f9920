/** The start: session, texts, shell; pages are loaded when first shown. */

import { foundFeatures, get, session } from './api.js';
import { Button, Notice, PageHead } from './basics.js';
import { isOverAll, loadOverAll } from './divisions.js';
import { startFocus } from './focus.js';
import { html, render, useEffect, useState } from './html.js';
import { foreseeLanguage, language, loadLanguage, t } from './i18n.js';
import { startLive } from './live.js';
import { presentPage, startRouter, useLocation } from './router.js';
import { applyTheme, chosenLanguage } from './settings.js';
import { Shell } from './shell.js';
import { useStore } from './store.js';

const PAGES = {
  '': () => import('./overview/page-overview.js'),
  queues: () => import('./queues/page-queues.js'),
  queue: () => import('./queues/page-queue.js'),
  scheduled: () => import('./jobs/page-set.js'),
  retries: () => import('./jobs/page-set.js'),
  dead: () => import('./jobs/page-set.js'),
  job: () => import('./job/page-job.js'),
  busy: () => import('./processes/page-busy.js'),
  failures: () => import('./jobs/page-failures.js'),
  metrics: () => import('./metrics/page-metrics.js'),
  metric: () => import('./metrics/page-metric.js'),
  recurring: () => import('./recurring/page-recurring.js'),
  limits: () => import('./limits/page-limits.js'),
  limit: () => import('./limits/page-limit.js'),
  trash: () => import('./trash/page-trash.js'),
  batches: () => import('./batches/page-batches.js'),
  batch: () => import('./batches/page-batch.js'),
  history: () => import('./history/page-history.js'),
};

/** Loads a page; what is not listed here, the server has said. */
function load(page) {
  if (isOverAll()) return loadOverAll(page);
  const { feature } = foundFeatures().find(({ pages }) => pages.includes(page)) ?? {};
  return feature ? import(`./${feature}/page-${page}.js`) : PAGES[page]();
}

/** The query parameter that identifies a page: another value starts a new page, all other parameters refine the current one. */
const IDENTITY = { queue: 'name', job: 'key', metric: 'job', batch: 'id', history: 'task', limit: 'name' };

function App() {
  const { page, query } = useLocation();
  useStore(language); // all texts are re-rendered in another language
  const [shown, setShown] = useState(null);
  useEffect(() => {
    let left = false;
    const show = (next) => left || setShown({ page, ...next });
    load(page).then(
      (module) => show({ Page: module.Page }),
      () => show({ Page: NotLoaded }),
    );
    return () => {
      left = true;
    };
  }, [page]);
  return html`
    <${Shell}>${shown?.page === page && html`<${shown.Page} key=${page + (query[IDENTITY[page]] ?? query.jid ?? '')} page=${page} query=${query} />`}<//>
  `;
}

const NotLoaded = () => html`
  <${PageHead} title=${t('app.title')} />
  <${Notice}
    kind="error"
    title=${t('error.unreachable')}
    action=${html`<${Button} onClick=${() => location.reload()}>${t('action.retry')}<//>`}
  />
`;

async function start() {
  applyTheme();
  startRouter();
  startFocus();
  const root = document.getElementById('app');
  // Each of these is a trip to the server, so they go together with that for the session.
  foreseeLanguage();
  PAGES[presentPage()]?.().catch(() => {}); // the page asks once more, and says what is wrong
  try {
    session.set(await get('session'));
    await loadLanguage();
  } catch (error) {
    // No texts are loaded yet; the server's own messages are English.
    render(html`<main><${Notice} kind="error" title="The dashboard can't be shown">${error.message}<//></main>`, root);
    return;
  }
  chosenLanguage.watch(loadLanguage);
  startLive();
  render(html`<${App} />`, root);
}

start();
