// Break-even points of training, and the labels of the training data.

const FEW_STATES = 10;

// The number of states at a break-even point; its figures are described in page.py.
function breakEvenText([, , unmatched, states]) {
  if (states === null) return unmatched ? "?" : "–";
  return `${unmatched ? "≤ " : ""}${count(states)}`;
}

function drawBreakEven() {
  const [method, baseline] = [byId("break-even-method").value, byId("break-even-baseline").value];
  const rows = page.break_even.filter((one) => one[0] === method && one[1] === baseline && instanceShown(one[2]));
  const heads = ["Instance", "States", "Training", "Equal cost: per state", baseline, "Pays after", "Any plan: per state", baseline, "Pays after"];
  drawTable("break-even-table", heads, rows.map(([, , instance, training, states, ...both]) => [
    instanceName(instance), count(states), duration(training), ...both.flatMap((figures) => [shortTime(figures[0]), shortTime(figures[1]), breakEvenText(figures)]),
  ]));
  const soon = (place) => rows.filter((row) => row[place][3] !== null && row[place][3] <= FEW_STATES).length;
  byId("break-even-note").textContent = rows.length
    ? `Compared with plans of equal cost from ${baseline}, training ${method} pays after at most ${FEW_STATES} states on ${soon(5)} of ${plural(rows.length, "instance")}; compared with any plan, on ${soon(6)}. `
      + "–: it does not pay. ?: unknown, because the baseline found no such plan."
    : "There are no states that both were run on.";
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
