// Plan cost: ratios to a reference method by domain, and cost over time.

function medianOf(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const half = Math.floor(ordered.length / 2);
  return ordered.length % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

// Plan cost divided by that of the reference, for states that both solved at a reference cost above 0.
function costRatios(method, reference, domain) {
  const mine = page.runs[method].cost;
  const theirs = page.runs[reference].cost;
  return shownStates().filter((s) => (domain === null || page.instances[page.states[s][0]][0] === domain) && mine[s] !== null && theirs[s])
    .map((s) => mine[s] / theirs[s]);
}

function drawRatios() {
  const reference = byId("cost-reference").value;
  const others = page.methods.map(({ label }) => label).filter((label) => label !== reference);
  const row = (name, domain) => [name, ...others.flatMap((method) => {
    const ratios = costRatios(method, reference, domain);
    return ratios.length ? [medianOf(ratios).toFixed(2), Math.max(...ratios).toFixed(2), count(ratios.length)] : ["–", "–", "0"];
  })];
  const shown = [...chosen.domains].sort((a, b) => a - b);
  drawTable("ratio-table", ["Domain", ...others.flatMap((method) => [method, "worst", "states"])], [...shown.map((k) => row(page.domains[k], k)), row("all", null)]);
}

// One line for each method that was run on all states of the chosen domains that some method solved.
async function drawRatiosOverTime() {
  const { times, sums } = page.ratios;
  const lines = page.methods.map(({ label }) => {
    const mine = sums.filter(([method, domain]) => method === label && chosen.domains.has(domain));
    return { label, states: sum(mine.map((one) => one[2])), logs: times.map((_, i) => sum(mine.map((one) => one[3][i]))) };
  }).filter(({ states }) => states);
  const all = lines.reduce((found, { states }) => Math.max(found, states), 0);
  const traces = lines.filter(({ states }) => states === all).map(({ label, logs }) => {
    const number = methodNumber(label);
    return {
      type: "scatter", mode: "lines", name: label, x: times, y: logs.map((log) => Math.exp(log / all)),
      line: { shape: "hv", color: colour(number), width: 2, dash: dash(number) }, hovertemplate: `${label}: %{y:.3f} after %{x:.3g} s<extra></extra>`,
    };
  });
  await draw("plot-ratios", traces, layout(logAxis("seconds", times), logAxis("cost over the best known", traces.flatMap((trace) => trace.y))), "No two methods found plans.");
  const others = lines.filter(({ states }) => states < all).map(({ label }) => label);
  byId("ratios-note").textContent = `${plural(all, "state")}.${others.length ? ` Left out, because they were not run on all of them: ${others.join(", ")}.` : ""}`;
}

async function drawCostCurves() {
  const instance = Number(byId("cost-curve-instance").value);
  const named = new Set();
  const traces = page.cost_curves.filter((one) => one[1] === instance).map(([label, , state, seconds, costs]) => {
    const number = methodNumber(label);
    const first = !named.has(label);
    named.add(label);
    return {
      type: "scatter", mode: "lines+markers", name: label, legendgroup: label, showlegend: first, x: seconds.map((time) => Math.max(time, 0.001)), y: costs,
      line: { shape: "hv", color: colour(number), width: 1.5, dash: dash(number) }, marker: { symbol: symbol(number), size: 5 }, opacity: 0.75,
      hovertemplate: `${label}, ${state}: cost %{y} after %{x:.3g} s<extra></extra>`,
    };
  });
  await draw("plot-cost-curves", traces, layout(logAxis("seconds since the search began", traces.flatMap((trace) => trace.x)), axis("cost of the best plan", { rangemode: "tozero" })), "No plan was improved.");
}
