// The figures, drawn for the reader's selection.

const shownStates = () => page.states.map((_, number) => number).filter((number) => instanceShown(page.states[number][0]));

function pairOf(measure) {
  const first = page.runs[chosen.first][measure];
  const second = page.runs[chosen.second][measure];
  return shownStates().filter((s) => first[s] !== null && second[s] !== null).map((s) => ({ state: s, x: first[s], y: second[s] }));
}

// A logarithmic axis cannot show 0, so 0 is drawn at 0.5.
const above0 = (value) => Math.max(value, 0.5);

async function drawPair(measure, words) {
  const points = pairOf(measure);
  const wins = [points.filter((p) => p.x < p.y).length, points.filter((p) => p.y < p.x).length];
  const share = (number) => (points.length ? (100 * number) / points.length : 0);
  const equal = points.length - wins[0] - wins[1];
  byId(`${measure}-verdict`).replaceChildren(...(points.length ? [
    make("div", { class: "bar", "aria-hidden": "true" }, make("i", { class: "one", style: `width:${share(wins[0])}%` }),
      make("i", { style: `width:${share(equal)}%` }), make("i", { class: "two-wins", style: `width:${share(wins[1])}%` })),
    make("b", { class: "one" }, chosen.first), ` ${words} on ${percent(share(wins[0]))} %, `,
    make("b", { class: "two-wins" }, chosen.second), ` on ${percent(share(wins[1]))} %, equal on ${percent(share(equal))} % of ${plural(points.length, "state")}`,
  ] : []));
  const drawn = thin(points, page.max_points);
  const domains = [...chosen.domains].sort((a, b) => a - b);
  const traces = domains.map((k) => {
    const mine = drawn.filter((p) => page.instances[page.states[p.state][0]][0] === k);
    return {
      type: "scatter", mode: "markers", name: page.domains[k], x: mine.map((p) => above0(p.x)), y: mine.map((p) => above0(p.y)),
      marker: { color: colour(k), symbol: symbol(k), size: 7, opacity: 0.75 },
      text: mine.map((p) => `${stateName(p.state)}<br>${chosen.first}: ${count(p.x)}<br>${chosen.second}: ${count(p.y)}`),
      hovertemplate: "%{text}<extra></extra>",
    };
  }).filter((trace) => trace.x.length);
  const values = drawn.flatMap((p) => [above0(p.x), above0(p.y)]);
  const range = [Math.log10(Math.min(...values)) - 0.15, Math.log10(Math.max(...values)) + 0.15];
  const [low, high] = range.map((end) => 10 ** end);
  const diagonal = { type: "line", x0: low, y0: low, x1: high, y1: high, layer: "below", line: { color: ink("--muted"), width: 1, dash: "dot" } };
  const side = (title) => logAxis(title, values, { range });
  await draw(`plot-${measure}`, traces, layout(side(chosen.first), side(chosen.second), { showlegend: false, shapes: [diagonal] }),
    chosen.first === chosen.second ? "Choose two different methods." : "No state was solved by both.");
  return sentenceAboutDrawn(drawn.length, points.length);
}

async function drawPairs() {
  if (page.methods.length < 2) return;
  const notes = [await drawPair("expansions", "expands less"), await drawPair("plan_length", "finds the shorter plan")];
  if (!byId("cost-figure").hidden) await drawPair("cost", "finds the cheaper plan");
  const shown = [...chosen.domains].sort((a, b) => a - b);
  byId("pairs-legend").replaceChildren(...shown.map((k) => make("span", {}, make("i", { style: `color:${colour(k)}` }, shape(k)), page.domains[k])));
  byId("pairs-note").textContent = [notes[0] || notes[1], Object.values(page.seeded).some(Boolean)
    ? "A method with several seeds is shown with the seed that validation chose for the instance, or with the lowest seed if there was no validation." : ""].filter(Boolean).join(" ");
}

async function drawCactus() {
  const states = shownStates();
  let thinned = false;
  const all = page.methods.flatMap(({ label }) => states.map((s) => page.runs[label].seconds[s]).filter((time) => time !== null));
  const end = page.limit === null ? null : Math.max(page.limit, ...all);
  const traces = page.methods.map(({ label }, number) => {
    const { ended, seconds } = page.runs[label];
    const tried = states.filter((s) => ended[s] !== null).length;
    const times = states.filter((s) => ended[s] === 1 && seconds[s] !== null).map((s) => seconds[s]).sort((a, b) => a - b);
    const steps = thin(times.map((time, i) => [Math.max(time, 0.001), (100 * (i + 1)) / tried]), 400);
    thinned ||= steps.length < times.length;
    // Extend the line to the time limit.
    if (end !== null && tried) steps.push([end, steps.length ? last(steps)[1] : 0]);
    return {
      type: "scatter", mode: "lines", name: label, x: steps.map((p) => p[0]), y: steps.map((p) => p[1]),
      line: { shape: "hv", color: colour(number), width: 2, dash: dash(number) }, hovertemplate: `${label}: %{y:.1f} % within %{x:.3g} s<extra></extra>`,
    };
  });
  const limit = page.limit === null ? {} : {
    shapes: [{ type: "line", x0: page.limit, x1: page.limit, y0: 0, y1: 1, yref: "paper", layer: "below", line: { color: ink("--muted"), width: 1, dash: "dash" } }],
    annotations: [{ x: Math.log10(page.limit), xref: "x", y: 1, yref: "paper", yanchor: "bottom", xanchor: "right", showarrow: false, text: `limit ${duration(page.limit)}`, font: { size: 11, color: ink("--muted") } }],
    margin: { l: 56, r: 10, t: 26, b: 48 },
  };
  await draw("plot-cactus", traces.filter((trace) => trace.x.length), layout(logAxis("seconds, training not included", traces.flatMap((trace) => trace.x)), axis("percent of states solved", { range: [0, 102] }), limit), "Nothing has been solved.");
  byId("cactus-note").textContent = thinned ? "Each line is drawn with 400 steps." : "";
}

async function drawSpeed() {
  const traces = [];
  for (const [label, all] of page.rates) {
    const number = methodNumber(label);
    const points = all.filter(([instance]) => instanceShown(instance)).map(([instance, rate]) => [page.instances[instance][3], rate, instance]);
    const line = thin(movingAverage(points, page.window), 400);
    traces.push({
      type: "scatter", mode: "markers", name: label, legendgroup: label, showlegend: false, x: points.map((p) => p[0]), y: points.map((p) => p[1]),
      marker: { color: colour(number), symbol: symbol(number), size: 6, opacity: 0.6 },
      text: points.map((p) => `${instanceName(p[2])}<br>${label}: ${count(p[1])} evaluations/s<br>${count(p[0])} atoms`), hovertemplate: "%{text}<extra></extra>",
    }, {
      type: "scatter", mode: "lines", name: label, legendgroup: label, x: line.map((p) => p[0]), y: line.map((p) => p[1]),
      line: { color: colour(number), width: 2, dash: dash(number) }, hoverinfo: "skip",
    });
  }
  await draw("plot-speed", traces, layout(axis("atoms", { rangemode: "tozero" }), logAxis("evaluations per second", traces.flatMap((trace) => trace.y))), "The numbers of atoms are unknown.");
}

async function drawParameters() {
  const difficulty = byId("parameters-difficulty").value;
  const sets = [{ name: "ours", list: page.settings.ours, number: 0 }];
  if (chosen.paper) sets.push({ name: "paper", list: page.paper.settings, number: 1 });
  for (const [name] of page.settings.parameters) {
    const shown = (value) => (name === "P_r" ? `${Math.round(100 * value)} %` : count(value));
    const ticks = [];
    const traces = sets.flatMap(({ name: set, list, number }) => {
      const known = list.filter((setting) => setting.averages[difficulty] !== undefined);
      const values = [...new Set(known.map((setting) => setting.values[name]))].sort((a, b) => a - b);
      const tick = (value) => (chosen.paper ? `${shown(value)}<br>${set}` : shown(value));
      ticks.push(...values.map(tick));
      return [{
        type: "scatter", mode: "markers", x: known.map((s) => tick(s.values[name])), y: known.map((s) => s.averages[difficulty]), showlegend: false,
        marker: { color: colour(number), size: 7, opacity: 0.6 }, text: known.map((s) => s.label || "paper"), hovertemplate: "%{text}: %{y:.1f} %<extra></extra>",
      }, {
        type: "scatter", mode: "markers", x: values.map(tick), y: values.map((v) => mean(known.filter((s) => s.values[name] === v).map((s) => s.averages[difficulty]))),
        showlegend: false, marker: { color: colour(number), symbol: "square-open", size: 13, line: { width: 2 } }, hovertemplate: "mean %{y:.1f} %<extra></extra>",
      }];
    });
    await draw(`plot-parameter-${name}`, traces, layout(axis("", { type: "category", categoryorder: "array", categoryarray: ticks }), axis("", { rangemode: "tozero", ticksuffix: " %" }),
      { height: 300, margin: { l: 40, r: 8, t: 8, b: 48 } }), "No such instances.");
  }
}

async function drawAlong() {
  const instance = Number(byId("along-instance").value);
  const mine = page.along.filter((one) => one[1] === instance);
  const traces = mine.map(([label, , plans, steps, h]) => {
    const number = methodNumber(label);
    return {
      type: "scatter", mode: "markers", name: label, x: steps, y: h, marker: { color: colour(number), symbol: symbol(number), size: 6, opacity: 0.6 },
      hovertemplate: `${label}: h = %{y:.4g} with %{x} steps to go<extra></extra>`,
    };
  });
  const high = Math.max(1, ...mine.flatMap((one) => one[3]));
  const shapes = [{ type: "line", x0: 0, y0: 0, x1: high, y1: high, layer: "below", line: { color: ink("--muted"), width: 1, dash: "dot" } }];
  await draw("plot-along", traces, layout(axis("remaining steps", { rangemode: "tozero" }), axis("predicted h"), { shapes }), "No values along plans were recorded.");
  byId("along-note").textContent = mine.map((one) => `${one[0]}: ${plural(one[2], "plan")}`).join(", ") + (mine.length ? "; at most 12 plans and 240 states for each method." : "");
}

async function drawBestH() {
  const instance = Number(byId("best-h-instance").value);
  const mine = page.best_h.filter((one) => one[1] === instance);
  const named = new Set();
  const traces = mine.map(([label, , state, solved, seconds, h]) => {
    const number = methodNumber(label);
    const first = !named.has(label);
    named.add(label);
    return {
      type: "scatter", mode: "lines+markers", name: label, legendgroup: label, showlegend: first, x: seconds.map((time) => Math.max(time, 0.001)), y: h,
      line: { shape: "hv", color: colour(number), width: 1.5, dash: dash(number) },
      marker: { color: colour(number), size: 7, symbol: seconds.map((_, i) => (i === seconds.length - 1 && !solved ? "x" : "circle")), opacity: seconds.map((_, i) => (i === seconds.length - 1 ? 1 : 0)) },
      hovertemplate: `${label}, ${state}: h = %{y:.4g} after %{x:.3g} s<extra></extra>`,
    };
  });
  await draw("plot-best-h", traces, layout(logAxis("seconds since the search began", traces.flatMap((trace) => trace.x)), axis("minimum h so far", { rangemode: "tozero" })), "Nothing was recorded.");
}

async function drawCurves() {
  const instance = Number(byId("curve-instance").value);
  const mine = page.curves.kept.filter((one) => one[1] === instance);
  const traces = mine.flatMap(([label, , seed, isChosen, [epochs, train, held]]) => {
    const number = methodNumber(label);
    const several = mine.filter((one) => one[0] === label).length > 1;
    const name = several ? `${label}, seed ${seed}${isChosen ? " (chosen)" : ""}` : label;
    const base = { type: "scatter", mode: epochs.length < 2 ? "markers" : "lines", x: epochs, legendgroup: label, showlegend: !several || !!isChosen, opacity: several && !isChosen ? 0.35 : 1 };
    return [
      { ...base, name, y: train, line: { color: colour(number), width: 2 }, hovertemplate: `${name}: %{y:.4g} in training, epoch %{x}<extra></extra>` },
      { ...base, name, y: held, showlegend: false, line: { color: colour(number), width: 2, dash: "dot" }, hovertemplate: `${name}: %{y:.4g} in validation, epoch %{x}<extra></extra>` },
    ];
  });
  await draw("plot-curves", traces, layout(axis("epoch"), logAxis("mean squared error", traces.flatMap((trace) => trace.y))), "No training was recorded.");
  const { kept, total } = page.curves;
  byId("curves-note").textContent = kept.length < total ? `${count(kept.length)} of ${count(total)} trainings are on this page, those of chosen seeds first.` : "";
}
