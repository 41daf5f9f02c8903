// Helpers that the other scripts use.
const byId = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") node.className = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

// The reader's current selection; `domains` has the indices of the domains that are shown.
const chosen = { domains: new Set(), first: "", second: "", paper: false, sort: { column: -1, down: true } };

let page = null;

const percent = (value) => (value === null || value === undefined ? "–" : value.toFixed(1));
const count = (value) => Math.round(value).toLocaleString("en-US");
const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;
const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => (values.length ? sum(values) / values.length : null);
const last = (list) => list[list.length - 1];

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3600).toFixed(2)} h`;
}

// A duration with more digits for short times.
const shortTime = (seconds) => (seconds < 0.1 ? `${(1000 * seconds).toFixed(1)} ms` : seconds < 10 ? `${seconds.toFixed(2)} s` : duration(seconds));

// At most `limit` items, evenly spaced, including the first and the last.
function thin(items, limit) {
  if (items.length <= limit) return items;
  return Array.from({ length: limit }, (_, place) => items[Math.floor((place * (items.length - 1)) / (limit - 1))]);
}

// A long name, shortened in the middle.
const short = (text, limit = 48) => (text.length <= limit ? text : `${text.slice(0, Math.ceil(limit * 0.6))}…${text.slice(-Math.floor(limit * 0.4) + 1)}`);

const instanceShown = (number) => chosen.domains.has(page.instances[number][0]);

function instanceName(number) {
  const [domain, difficulty, name] = page.instances[number];
  return `${page.domains[domain]} · ${page.difficulties[difficulty]} · ${name}`;
}

const stateName = (number) => `${instanceName(page.states[number][0])} · ${page.states[number][1]}`;

function sentenceAboutDrawn(drawn, all) {
  return drawn < all ? `${count(drawn)} of ${count(all)} points are drawn; the figures are computed from all.` : "";
}

function toast(text) {
  const node = byId("toast");
  node.textContent = text;
  node.classList.add("shown");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => node.classList.remove("shown"), 1800);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

async function unpack(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent), (letter) => letter.charCodeAt(0));
  byId(id).remove();
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
