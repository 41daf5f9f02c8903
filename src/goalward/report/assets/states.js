// The searchable table of states, the table of unsolved states, and marks on tables that can be scrolled.

const STATES_SHOWN = 200;

// The path of a plan in the experiment's folder; plans of imported results are not there.
function planFile(label, s) {
  const { ended, seed } = page.runs[label];
  if (ended[s] !== 1 || page.methods[methodNumber(label)].imported) return "";
  const [instance, state] = page.states[s];
  const [domain, difficulty, name] = page.instances[instance];
  return ["plans", page.domains[domain], page.difficulties[difficulty], name, label, seed[s] ?? "-", `${state}.plan`].join("/");
}

function stateRows() {
  const words = byId("state-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [];
  for (const s of shownStates()) {
    const name = stateName(s);
    for (const { label } of page.methods) {
      const run = page.runs[label];
      if (run.ended[s] === null) continue;
      const how = run.ended[s] === 1 ? "solved" : "not solved";
      const text = `${name} ${label} ${how}`.toLowerCase();
      if (words.every((word) => text.includes(word))) rows.push({ name, label, how, seconds: run.seconds[s], expansions: run.expansions[s], steps: run.plan_length[s], cost: run.cost[s], plan: planFile(label, s) });
    }
  }
  return rows;
}

function drawStates() {
  const rows = stateRows();
  const shown = rows.slice(0, STATES_SHOWN);
  const number = (value) => (value === null ? "–" : count(value));
  drawTable("state-table", ["State", "Method", "Outcome", "Seconds", "Expansions", "Steps", "Cost", "Plan"], shown.map((row) => [
    row.name, row.label, row.how, row.seconds === null ? "–" : row.seconds.toPrecision(3), number(row.expansions), number(row.steps), number(row.cost), row.plan,
  ]), [0, 1, 2, 7]);
  byId("state-note").textContent = rows.length > shown.length
    ? `The first ${count(shown.length)} of ${plural(rows.length, "row")} are shown; the copy has all of them.` : plural(rows.length, "row");
}

function statesAsCsv() {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = stateRows().map((row) => [row.name, row.label, row.how, row.seconds, row.expansions, row.steps, row.cost, row.plan].map((cell) => quoted(cell === null ? "" : String(cell))).join(","));
  return ["state,method,outcome,seconds,expansions,steps,cost,plan", ...lines].join("\n") + "\n";
}

function drawUnsolved() {
  const rows = page.unsolved.rows.filter(([, instance]) => instanceShown(instance));
  byId("unsolved-table").parentElement.hidden = !rows.length;
  drawTable("unsolved-table", ["Method", "Instance", "How it ended", "States", "Which"], rows.map(([method, instance, status, states, names]) => [
    method, instanceName(instance), status, count(states), names.join(", ") + (states > names.length ? ` and ${count(states - names.length)} more` : ""),
  ]), [0, 1, 2, 4]);
}

// Fades a table on the sides to which it can be scrolled.
function markScrollable(node) {
  const left = node.scrollLeft > 2;
  const right = node.scrollLeft + node.clientWidth < node.scrollWidth - 2;
  node.dataset.more = left && right ? "both" : right ? "right" : left ? "left" : "";
}

const markAllScrollable = () => document.querySelectorAll(".scroll").forEach(markScrollable);
