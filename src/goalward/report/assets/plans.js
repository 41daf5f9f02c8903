// What plans cost: ratios to one method by domain, and cost over time.

function medianOf(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const half = Math.floor(ordered.length / 2);
  return ordered.length % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
}

// The cost of a method's plans over that of the reference's, where both solved a state and the reference's costs anything.
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

// A line for each method that was tried on all states of the chosen domains that some method solved.
async function drawRatiosOverTime() {
  const { times, sums } = page.ratios;
  const lines = page.methods.map(({ label }) => {
    const mine = sums.filter(([method, domain]) => method === label && chosen.domains.has(domain));
    return { label, states: sum(mine.map((one) => one[2])), logs: times.map((_, i) => sum(mine.map((one) => one[3][i]))) };
  }).filter(({ states }) => states);
  const most = lines.reduce((found, { states }) => Math.max(found, states), 0);
  const traces = lines.filter(({ states }) => states === most).map(({ label, logs }) => {
    const number = methodNumber(label);
    return {
      type: "scatter", mode: "lines", name: label, x: times, y: logs.map((log) => Math.exp(log / most)),
      line: { shape: "hv", color: colour(number), width: 2, dash: dash(number) }, hovertemplate: `${label}: %{y:.3f} after %{x:.3g} s<extra></extra>`,
    };
  });
  await draw("plot-ratios", traces, layout(logAxis("seconds", times), logAxis("cost over the best known", traces.flatMap((trace) => trace.y))), "No two methods found plans.");
  const others = lines.filter(({ states }) => states < most).map(({ label }) => label);
  byId("ratios-note").textContent = `${plural(most, "state")}.${others.length ? ` Not tried on all of them, and therefore left out: ${others.join(", ")}.` : ""}`;
}

async function drawCourses() {
  const instance = Number(byId("course-instance").value);
  const named = new Set();
  const traces = page.courses.filter((one) => one[1] === instance).map(([label, , state, seconds, costs]) => {
    const number = methodNumber(label);
    const first = !named.has(label);
    named.add(label);
    return {
      type: "scatter", mode: "lines+markers", name: label, legendgroup: label, showlegend: first, x: seconds.map((time) => Math.max(time, 0.001)), y: costs,
      line: { shape: "hv", color: colour(number), width: 1.5, dash: dash(number) }, marker: { symbol: symbol(number), size: 5 }, opacity: 0.75,
      hovertemplate: `${label}, ${state}: cost %{y} after %{x:.3g} s<extra></extra>`,
    };
  });
  await draw("plot-courses", traces, layout(logAxis("seconds since the search began", traces.flatMap((trace) => trace.x)), axis("cost of the best plan", { rangemode: "tozero" })), "No plan was improved.");
}
