// What learning costs and what it learns from: break-even, and the labels of the training data.

// Mean seconds of a method over states that `others` were tried on too; a state that was not solved costs the limit.
function meanSeconds(label, others) {
  const tried = shownStates().filter((s) => [label, ...others].every((one) => page.runs[one].ended[s] !== null));
  const { ended, seconds } = page.runs[label];
  const longest = page.limit === null ? Math.max(0, ...tried.map((s) => seconds[s] || 0)) : page.limit;
  return mean(tried.map((s) => (ended[s] === 1 && seconds[s] !== null ? seconds[s] : longest)));
}

// Seconds of learning per instance; where several seeds competed, all of them had to be trained.
function learningSeconds(label) {
  const places = page.columns.map((column, place) => ({ ...column, place })).filter((column) => column.method === label);
  const column = places.find((one) => one.kind === "validated") || places[0];
  const rows = column ? page.training.filter(([, k, c]) => c === column.place && chosen.domains.has(k)) : [];
  return rows.length ? sum(rows.map((row) => row[3])) / sum(rows.map((row) => row[4])) : 0;
}

function breakEven() {
  const learned = page.methods.filter((method) => method.learned && learningSeconds(method.label) > 0).map((method) => method.label);
  const planners = page.methods.filter((method) => !method.learned).map((method) => method.label);
  return learned.flatMap((first) => planners.map((second) => {
    const [with_, without] = [meanSeconds(first, [second]), meanSeconds(second, [first])];
    if (with_ === null || without === null) return null;
    return { first, second, states: without > with_ ? Math.ceil(learningSeconds(first) / (without - with_)) : null };
  })).filter(Boolean);
}

async function drawBreakEven() {
  if (byId("break-even").hidden) return;
  const found = breakEven();
  const labels = [...new Set(found.flatMap((one) => [one.first, one.second]))];
  const known = found.map((one) => one.states).filter((states) => states !== null);
  const most = 10 ** Math.ceil(Math.log10(Math.max(100, 2 * Math.min(Infinity, ...(known.length ? known : [100])))));
  const steps = Array.from({ length: 61 }, (_, i) => most ** (i / 60));
  const traces = labels.map((label) => {
    const number = methodNumber(label);
    const others = [...new Set(found.filter((one) => one.first === label || one.second === label).flatMap((one) => [one.first, one.second]))];
    const [base, each] = [learningSeconds(label), meanSeconds(label, others)];
    return {
      type: "scatter", mode: "lines", name: label, x: steps, y: each === null ? [] : steps.map((n) => base + n * each),
      line: { color: colour(number), width: 2, dash: dash(number) }, hovertemplate: `${label}: %{y:.3g} s for %{x:.0f} states<extra></extra>`,
    };
  }).filter((trace) => trace.y.length);
  await draw("plot-break-even", traces, layout(logAxis("states of an instance", steps), logAxis("seconds, training included", traces.flatMap((trace) => trace.y))), "There is no planner beside what was learned.");
  byId("break-even-note").textContent = found.map(({ first, second, states }) => (states === null
    ? `${first} does not pay for itself beside ${second}` : `${first} has paid for itself beside ${second} after ${plural(states, "state")}`)).join("; ")
    + (found.length ? ". Means over the states that both were tried on; a state that was not solved counts with the limit." : "");
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
