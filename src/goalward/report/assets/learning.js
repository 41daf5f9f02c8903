// What learning costs and what it learns from: when it has paid, and the labels of the training data.

const FEW_STATES = 10;

// A number of states after which learning has paid, by the figures that page.py lists.
function paidText([, , unmatched, states]) {
  if (states === null) return unmatched ? "?" : "–";
  return `${unmatched ? "≤ " : ""}${count(states)}`;
}

function drawPaid() {
  const [method, baseline] = [byId("paid-method").value, byId("paid-baseline").value];
  const rows = page.paid.filter((one) => one[0] === method && one[1] === baseline && instanceShown(one[2]));
  const heads = ["Instance", "States", "Training", "As good: a state", baseline, "Pays after", "Any plan: a state", baseline, "Pays after"];
  drawTable("paid-table", heads, rows.map(([, , instance, training, states, ...both]) => [
    instanceName(instance), count(states), duration(training), ...both.flatMap((figures) => [shortTime(figures[0]), shortTime(figures[1]), paidText(figures)]),
  ]));
  const soon = (place) => rows.filter((row) => row[place][3] !== null && row[place][3] <= FEW_STATES).length;
  byId("break-even-note").textContent = rows.length
    ? `Beside plans as good from ${baseline}, ${method} has paid after at most ${FEW_STATES} states on ${soon(5)} of ${plural(rows.length, "instance")}; beside any plan, on ${soon(6)}. `
      + "–: it does not pay. ?: that is not known, because the planner had no such plan at its end."
    : "Nothing was measured for both.";
}

async function drawLabels() {
  const instance = Number(byId("labels-instance").value);
  const mine = page.labels.filter((one) => one[1] === instance);
  const traces = mine.map(([label, , sampler, beyond, counts], place) => ({
    type: "scatter", mode: "lines", name: `${label}, ${sampler}`, x: counts.map((_, i) => ((i + 0.5) * beyond) / counts.length),
    y: counts.map((number) => (100 * number) / sum(counts)), line: { shape: "hvh", color: colour(methodNumber(label)), width: 2, dash: DASHES[place % DASHES.length] },
    hovertemplate: `${label}, ${sampler}: %{y:.1f} % around %{x:.0f}<extra></extra>`,
  }));
  await draw("plot-labels", traces, layout(axis("label d(s)", { rangemode: "tozero" }), axis("percent of the training states", { rangemode: "tozero" })), "Nothing was recorded about the training data.");
}
