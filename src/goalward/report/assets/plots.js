// Appearance and layout of all plots, in light and dark mode.
const COLOURS = {
  light: ["#0072b2", "#c8500a", "#00805e", "#a3439a", "#b07d00", "#3a9bd6", "#882255", "#5f7f1e", "#555555", "#4433aa"],
  dark: ["#5cb5ee", "#ff935c", "#43d3a5", "#e59fd6", "#f0c254", "#a5d5f7", "#ec86ac", "#bcd573", "#c4c8cd", "#b0a4fa"],
};
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star", "pentagon", "hexagon"];
// The same shapes as characters, for legends outside of plots.
const SHAPES = ["●", "■", "◆", "▲", "✚", "✖", "▼", "★", "⬟", "⬢"];
const DASHES = ["solid", "dash", "dashdot", "longdash"];

const theme = () => document.documentElement.dataset.theme;
const colour = (number) => COLOURS[theme()][number % 10];
const symbol = (number) => SYMBOLS[(number + Math.floor(number / 10)) % 10];
const shape = (number) => SHAPES[SYMBOLS.indexOf(symbol(number))];
const dash = (number) => DASHES[Math.floor(number / 10) % DASHES.length];
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const methodNumber = (label) => page.methods.findIndex((method) => method.label === label);

function axis(title, more = {}) {
  return {
    title: { text: title, font: { size: 12.5, color: ink("--muted") }, standoff: 8 }, gridcolor: ink("--line"), zeroline: false,
    linecolor: ink("--line"), tickfont: { size: 11, color: ink("--muted") }, automargin: true, ...more,
  };
}

// A number on an axis: 0.05, 20, 3k, 10M.
function tickText(value) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) if (value >= size) return `${+(value / size).toPrecision(3)}${letter}`;
  return String(+value.toPrecision(3));
}

// A logarithmic axis with ticks at powers of ten, and at 2 and 5 times those if there would be too few.
function logAxis(title, values, more = {}) {
  const known = values.filter((value) => value > 0).map(Math.log10);
  const low = known.reduce((a, b) => Math.min(a, b), Infinity);
  const high = known.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!known.length) return axis(title, { type: "log", ...more });
  const every = Math.max(1, Math.ceil((high - low) / 7));
  const between = high - low < 2 ? [1, 2, 5] : [1];
  const tickvals = [];
  for (let power = Math.floor(low) - 1; power <= Math.ceil(high) + 1; power += 1) {
    if (power % every === 0) between.forEach((digit) => tickvals.push(digit * 10 ** power));
  }
  return axis(title, { type: "log", tickmode: "array", tickvals, ticktext: tickvals.map(tickText), ...more });
}

function layout(x, y, more = {}) {
  const narrow = window.innerWidth < 600;
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", height: narrow ? 340 : 400,
    margin: { l: 56, r: 10, t: 10, b: 48 }, font: { family: "system-ui, sans-serif", color: ink("--ink"), size: 12 },
    xaxis: x, yaxis: y, hovermode: "closest", dragmode: narrow ? false : "zoom",
    hoverlabel: { bgcolor: ink("--sheet"), bordercolor: ink("--line"), font: { color: ink("--ink"), size: 12 }, align: "left" },
    legend: { orientation: "h", y: -0.2, yanchor: "top", x: 0, font: { size: 11.5 }, itemsizing: "constant" }, ...more,
  };
}

const CONFIG = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"], displayModeBar: "hover" };

// Draw a plot, or show the text `nothing` if there is no data.
async function draw(id, traces, plotLayout, nothing) {
  const node = byId(id);
  const empty = !traces.some((trace) => trace.x.length);
  node.classList.toggle("empty", empty);
  if (empty) {
    Plotly.purge(node);
    node.textContent = nothing;
    return;
  }
  if (!node.classList.contains("js-plotly-plot")) node.replaceChildren();
  await Plotly.react(node, traces, plotLayout, CONFIG);
}

// At each x, the mean y of all points within half a window of x.
function movingAverage(points, window) {
  const ordered = [...points].sort((a, b) => a[0] - b[0]);
  const found = [];
  let low = 0;
  let high = 0;
  let total = 0;
  for (const [x] of ordered) {
    while (high < ordered.length && ordered[high][0] <= x + window / 2) total += ordered[high++][1];
    while (ordered[low][0] < x - window / 2) total -= ordered[low++][1];
    if (!found.length || last(found)[0] !== x) found.push([x, total / (high - low)]);
  }
  return found;
}
