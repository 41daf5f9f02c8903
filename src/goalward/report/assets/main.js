// Prepares the data, draws the page, and handles events.

function preparePage() {
  page.cells = new Map(page.coverage.map((cell) => [`${cell[0]}/${cell[1]}/${cell[2]}`, cell]));
  page.seeded = Object.fromEntries(page.columns.map((column) => [column.method, column.kind !== "single"]));
  page.domains.forEach((_, number) => chosen.domains.add(number));
  const labels = page.methods.map((method) => method.label);
  const learned = page.methods.filter((method) => method.learned).map((method) => method.label);
  const others = labels.filter((label) => !learned.includes(label));
  chosen.first = learned[0] || labels[0] || "";
  chosen.second = others.find((label) => label !== chosen.first) || labels[1] || chosen.first;
}

function drawHead() {
  const { counts } = page;
  byId("summary").textContent = `${plural(page.methods.length, "method")} on ${plural(page.domains.length, "domain")}, made ${page.made} with goalward ${page.version}`;
  const searched = sum(page.outcomes.map(([, found]) => sum(Object.values(found))));
  const cards = [
    [count(page.domains.length), page.domains.length === 1 ? "domain" : "domains"], [count(page.instances.length), page.instances.length === 1 ? "instance" : "instances"],
    [count(page.states.length), "states"], [count(searched), "searches"], [count(counts.solved), "solved"], [count(counts.failed), "failed"],
  ];
  byId("cards").replaceChildren(...cards.map(([number, words]) => make("div", { class: "card" }, make("b", {}, number), make("span", {}, words))));
  byId("footer").textContent = "Coverage and averages as in the paper; docs/report.md describes how each number is computed. Plots: plotly.js, MIT licence.";
}

function drawDomains() {
  const all = chosen.domains.size === page.domains.length;
  const chips = page.domains.map((name, number) => make("button", {
    type: "button", class: "chip", "data-domain": name, "aria-pressed": String(chosen.domains.has(number)), onclick: () => toggleDomain(number),
  }, name));
  chips.unshift(make("button", { type: "button", class: "chip all", id: "all-domains", onclick: () => allDomains(!all) }, all ? "none" : "all"));
  byId("domains").replaceChildren(...chips);
}

function toggleDomain(number) {
  if (!chosen.domains.delete(number)) chosen.domains.add(number);
  afterFilter();
}

function allDomains(shown) {
  page.domains.forEach((_, number) => (shown ? chosen.domains.add(number) : chosen.domains.delete(number)));
  afterFilter();
}

function afterFilter() {
  drawDomains();
  drawCoverage();
  fillInstances("along-instance", new Set(page.along.map((one) => one[1])));
  fillInstances("best-h-instance", new Set(page.best_h.map((one) => one[1])));
  fillInstances("curve-instance", new Set(page.curves.kept.map((one) => one[1])));
  fillInstances("labels-instance", new Set(page.labels.map((one) => one[1])));
  fillInstances("cost-curve-instance", new Set(page.cost_curves.map((one) => one[1])));
  drawStates();
  drawUnsolved();
  if (!byId("plans").hidden) drawRatios();
  if (!byId("break-even").hidden) drawBreakEven();
  return drawPlots();
}

function fillSelect(id, options, value) {
  const select = byId(id);
  select.replaceChildren(...options.map(([key, name]) => make("option", { value: key, title: name }, short(name))));
  if (options.some(([key]) => String(key) === String(value))) select.value = value;
}

function fillInstances(id, numbers) {
  const options = page.instances.map((_, number) => number).filter((number) => numbers.has(number) && instanceShown(number));
  fillSelect(id, options.map((number) => [number, instanceName(number)]), byId(id).value);
}

function drawQueues() {
  byId("queues").hidden = !page.queues.length;
  const queues = page.queues.flatMap(([method, , found]) => {
    const all = sum(found.map(([, expanded]) => expanded));
    return found.map(([queue, expanded, led]) => [method, queue, count(expanded), `${((100 * expanded) / all).toFixed(1)} %`, count(led)]);
  });
  drawTable("queue-table", ["Method", "Queue", "Expansions", "Share", "Plans"], queues, [1]);
  const heuristics = page.queues.flatMap(([method, found]) => found.map(([name, asked]) => [method, name, count(asked)]));
  drawTable("evaluation-table", ["Method", "Heuristic", "Evaluations"], heuristics, [1]);
}

function drawFailures() {
  const shown = ["solved", ...new Set(page.outcomes.flatMap(([, found]) => Object.keys(found)).filter((name) => name !== "solved").sort())];
  drawTable("outcome-table", ["Method", ...shown], page.outcomes.map(([method, found]) => [method, ...shown.map((name) => count(found[name] || 0))]));
  const { rows, kinds, total } = page.failures;
  byId("failure-table").parentElement.hidden = !rows.length;
  if (rows.length) drawTable("failure-table", ["Method", "Domain", "What", "Reason", "How often", "For example"], rows.map((row) => [...row.slice(0, 4), count(row[4]), row[5]]), [1, 2, 3, 5]);
  byId("failure-note").textContent = !total ? "Nothing failed." : rows.length < kinds ? `The ${count(rows.length)} most frequent of ${count(kinds)} kinds of failure are listed.` : "";
}

function drawProvenance() {
  byId("provenance-tables").replaceChildren(...page.provenance.flatMap(([title, pairs]) => [
    make("h3", {}, title), make("table", {}, make("tbody", {}, ...pairs.map(([key, text]) => make("tr", {}, make("td", {}, key), make("td", {}, text))))),
  ]));
  if (!page.provenance.length) byId("provenance-tables").append(make("p", { class: "muted" }, "Nothing was recorded."));
}

// Requests to redraw may come faster than plots are drawn, so each call waits for the one before.
let drawing = Promise.resolve();

function drawPlots() {
  drawing = drawing.then(async () => {
    if (!window.Plotly) return;
    for (const figure of [drawPairs, drawCactus, drawSpeed, drawAlong, drawBestH, drawCurves, drawLabels, drawRatiosOverTime, drawCostCurves]) {
      await figure();
      await new Promise((resolve) => setTimeout(resolve)); // let the browser handle scrolling
    }
    if (page.settings.ours.length) await drawParameters();
    document.documentElement.dataset.drawn = String(Number(document.documentElement.dataset.drawn || 0) + 1);
  });
  return drawing;
}

function showSections() {
  byId("parameters").hidden = !page.settings.ours.length;
  byId("heuristic").hidden = !page.along.length;
  byId("best-h").hidden = !page.best_h.length;
  byId("training").hidden = !page.curves.kept.length;
  byId("data").hidden = !page.labels.length;
  byId("break-even").hidden = !page.break_even.length;
  fillSelect("break-even-method", [...new Set(page.break_even.map((one) => one[0]))].map((label) => [label, label]));
  const baselines = [...new Set(page.break_even.map((one) => one[1]))];
  fillSelect("break-even-baseline", baselines.map((label) => [label, label]), ["lama-full", "portfolio", "lama"].find((label) => baselines.includes(label)));
  byId("speed").hidden = !page.rates.length;
  byId("pairs").hidden = page.methods.length < 2;
  const costs = page.methods.map(({ label }) => label).filter((label) => page.runs[label].cost.some((cost) => cost !== null));
  byId("plans").hidden = costs.length < 2;
  byId("cost-figure").hidden = costs.length < 2;
  byId("ratios").hidden = !page.ratios.times.length;
  byId("penalty").textContent = String(page.ratios.penalty);
  byId("cost-curves").hidden = !page.cost_curves.length;
  fillSelect("cost-reference", costs.map((label) => [label, label]), ["lama-full", "lama", "ff"].find((label) => costs.includes(label)));
  byId("paper-switch").hidden = !page.paper.columns.length;
  byId("parameters-plots").replaceChildren(...page.settings.parameters.map(([name, words]) => make("figure", {},
    make("figcaption", {}, `${name.replace("_t", "ₜ").replace("_r", "ᵣ")}, ${words}`), make("div", { class: "plot", id: `plot-parameter-${name}` }))));
  const difficulties = page.difficulties.filter((name) => page.settings.ours.some((setting) => setting.averages[name] !== undefined));
  fillSelect("parameters-difficulty", difficulties.map((name) => [name, name]), last(difficulties));
  const methods = page.methods.map(({ label }) => [label, label]);
  fillSelect("first-method", methods, chosen.first);
  fillSelect("second-method", methods, chosen.second);
  byId("window").textContent = count(page.window);
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  byId("theme").textContent = name === "dark" ? "Light" : "Dark";
}

function listen() {
  const redraw = (figure) => () => { drawing = drawing.then(figure); };
  byId("first-method").addEventListener("change", (event) => { chosen.first = event.target.value; redraw(drawPairs)(); });
  byId("second-method").addEventListener("change", (event) => { chosen.second = event.target.value; redraw(drawPairs)(); });
  byId("along-instance").addEventListener("change", redraw(drawAlong));
  byId("best-h-instance").addEventListener("change", redraw(drawBestH));
  byId("curve-instance").addEventListener("change", redraw(drawCurves));
  byId("labels-instance").addEventListener("change", redraw(drawLabels));
  byId("cost-curve-instance").addEventListener("change", redraw(drawCostCurves));
  byId("cost-reference").addEventListener("change", drawRatios);
  byId("break-even-method").addEventListener("change", drawBreakEven);
  byId("break-even-baseline").addEventListener("change", drawBreakEven);
  byId("state-filter").addEventListener("input", drawStates);
  byId("copy-states").addEventListener("click", async () => { await copyText(statesAsCsv()); toast("Copied as CSV"); });
  document.querySelectorAll(".scroll").forEach((node) => node.addEventListener("scroll", () => markScrollable(node)));
  window.addEventListener("resize", markAllScrollable);
  byId("parameters-difficulty").addEventListener("change", redraw(drawParameters));
  byId("paper-toggle").addEventListener("change", (event) => {
    chosen.paper = event.target.checked;
    chosen.sort = { column: -1, down: true };
    drawCoverage();
    if (page.settings.ours.length) redraw(drawParameters)();
  });
  byId("theme").addEventListener("click", () => { setTheme(theme() === "dark" ? "light" : "dark"); drawPlots(); });
  document.querySelectorAll("button.copy").forEach((button) => button.addEventListener("click", async () => {
    const table = byId(button.dataset.table);
    await copyText(button.dataset.as === "csv" ? asCsv(table) : asLatex(table));
    toast(`Copied as ${button.dataset.as === "csv" ? "CSV" : "LaTeX"}`);
  }));
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => { setTheme(dark.matches ? "dark" : "light"); drawPlots(); });
  let before = null;
  window.addEventListener("beforeprint", () => { before = theme(); setTheme("light"); drawPlots(); });
  window.addEventListener("afterprint", () => { setTheme(before || "light"); drawPlots(); });
}

async function start() {
  setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  page = JSON.parse(await unpack("numbers"));
  preparePage();
  showSections();
  drawHead();
  drawDomains();
  drawCoverage();
  drawQueues();
  drawFailures();
  drawProvenance();
  listen();
  // Let the browser show the tables before the large plotting library is loaded.
  await new Promise((resolve) => setTimeout(resolve, 30));
  const library = document.createElement("script");
  library.textContent = await unpack("library");
  document.head.append(library);
  await afterFilter();
  markAllScrollable();
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  console.error(error);
  document.documentElement.dataset.ready = "failed";
  byId("summary").textContent = `This page could not be drawn (${error.message}); a browser of 2023 or newer is needed.`;
});
