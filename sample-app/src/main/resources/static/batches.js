/* Starts batches and shows them until they have ended. Nothing here is special: HTTP and JSON. */

/** The request that starts the batch of each section, from its form. */
const REQUESTS = {
  enrollments: form => ["enrollments", "application/json",
    JSON.stringify({campaign: form.get("campaign"), products: Number(form.get("products"))})],
  imports: form => ["imports", "text/csv", form.get("file").size ? form.get("file") : list(form.get("lines"))],
  exports: form => [`exports?records=${form.get("records")}`],
};

/** A list of products. A few lines have no price, as in real life. */
function list(lines) {
  const line = i => `CARD-${i},Postcard no. ${i},${i % 997 === 500 ? "?" : 190}`;
  return Array.from({length: lines}, (_, i) => line(i + 1)).join("\n");
}

for (const section of document.querySelectorAll("section[data-path]")) {
  const form = section.querySelector("form");
  form.addEventListener("submit", event => {
    event.preventDefault();
    start(section, new FormData(form));
  });
}

const past = document.querySelector("#past");
past.querySelector("form").addEventListener("submit", event => {
  event.preventDefault();
  find(new FormData(event.target));
});

/** Shows what the history has of past enrollments. */
async function find(form) {
  const status = past.querySelector("[role=status]");
  try {
    const found = await (await ok(fetch(`enrollments/products?${new URLSearchParams(form)}`))).json();
    status.textContent = `${found.length} products`;
    past.querySelector("tbody").replaceChildren(...found.map(product => element("tr", product.state.toLowerCase(),
      element("td", "", String(product.number)),
      element("td", "", words(product.state)),
      element("td", "", product.campaign),
      element("td", "", product.messages.join(" · ")))));
    past.querySelector("[role=region]").hidden = found.length === 0;
  } catch (e) {
    status.textContent = e.message;
  }
}

async function start(section, form) {
  const view = document.querySelector("template").content.cloneNode(true).firstElementChild;
  section.querySelector(".batch")?.remove();
  section.append(view);
  say(view, "Sending …");
  try {
    const [path, type, body] = REQUESTS[section.dataset.path](form);
    const response = await ok(fetch(path, {method: "POST", body, headers: type ? {"Content-Type": type} : {}}));
    watch(view, response.headers.get("Location"), section.dataset);
  } catch (e) {
    say(view, e.message);
  }
}

/** Shows a batch until it has ended, by server-sent events. */
function watch(view, location, {jobs, first}) {
  view.querySelector(".cancel").onclick = () => fetch(location, {method: "DELETE"});
  const events = new EventSource(`${location}/events`);
  const changed = async event => {
    if (!view.isConnected) {
      events.close(); // another batch is shown
    }
    show(view, JSON.parse(event.data));
    if (jobs !== undefined) {
      const page = await (await ok(fetch(`${location}/jobs${jobs}`))).json();
      showJobs(view, page.jobs, Number(first));
    }
  };
  events.addEventListener("progress", changed);
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) { // otherwise the browser opens it again
      say(view, "The shop sends no events; reload the page");
    }
  });
  events.addEventListener("finished", async event => {
    events.close();
    await changed(event);
    view.querySelector(".cancel").hidden = true;
    if (location.startsWith("/exports/")) {
      await showFile(view, location);
    }
  });
}

/** Shows the file when the callback has joined it. Polling works as well as events: the browser sends the ETag. */
async function showFile(view, location) {
  for (;;) {
    const batch = await (await ok(fetch(location))).json();
    const joined = batch.callbacks.SUCCEEDED;
    if (joined === "SUCCEEDED") {
      const file = view.querySelector(".file");
      file.href = `${location}/file`;
      file.hidden = false;
    }
    if (!joined || joined === "SUCCEEDED" || joined === "DEAD") {
      return;
    }
    await new Promise(resolve => setTimeout(resolve, 500));
  }
}

function show(view, batch) {
  const percent = Math.floor(100 * batch.share);
  const left = batch.secondsLeft === null ? "" : `, about ${batch.secondsLeft} s left`;
  say(view, words(batch.state), `${percent} %${left}`);
  const bar = view.querySelector(".bar");
  bar.setAttribute("aria-valuenow", percent);
  for (const part of bar.children) {
    part.style.width = `${100 * batch[part.className] / batch.total}%`;
  }
  const counters = ["waiting", "retrying", "succeeded", "failed", "dead", "skipped"];
  view.querySelector(".counters").replaceChildren(...counters
    .filter(name => batch[name] > 0)
    .map(name => element("li", name, element("b", "", batch[name].toLocaleString("en")), ` ${name}`)));
}

/** The jobs that have something to say: why they were refused, or what they have done. */
function showJobs(view, jobs, first) {
  const rows = jobs.filter(job => job.messages.length > 0)
    .map(job => element("tr", job.state.toLowerCase(),
      element("td", "", String(job.index + first)),
      element("td", "", words(job.state)),
      element("td", "", job.messages.join(" · "))));
  view.querySelector("tbody").replaceChildren(...rows);
  view.querySelector(".jobs").hidden = rows.length === 0;
}

/** Says how it is; screen readers hear of changes of the state, not of each percent. */
function say(view, state, more = "") {
  const status = view.querySelector("[role=status]");
  if (status.textContent !== state) {
    status.textContent = state;
  }
  view.querySelector(".share").textContent = more;
}

function words(name) {
  return name[0] + name.slice(1).toLowerCase().replaceAll("_", " ");
}

function element(name, className, ...content) {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
}

async function ok(request) {
  const response = await request;
  if (!response.ok) {
    throw new Error(`${response.status}: ${(await response.json()).detail}`);
  }
  return response;
}
