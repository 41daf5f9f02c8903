// The coverage table, and export of tables as CSV and LaTeX.

// The columns that are shown: ours, and next to them the paper's if they are switched on.
function shownColumns() {
  const ours = page.columns.map((column, place) => ({ ...column, place, cell: (d, k) => ourCell(d, k, place) }));
  if (!chosen.paper) return ours;
  const theirs = page.paper.columns.map((column) => ({
    ...column,
    paper: true,
    cell: (d, k) => {
      const found = column.values.find((value) => value[0] === d && value[1] === k);
      return found ? { value: found[2], hint: `as printed in the paper; ${column.budget}` } : null;
    },
  }));
  const beside = ours.flatMap((column) => [column, ...theirs.filter((other) => other.beside === column.place)]);
  return [...beside, ...theirs.filter((other) => other.beside === null)];
}

function ourCell(difficulty, domain, column) {
  const found = page.cells.get(`${difficulty}/${domain}/${column}`);
  if (!found) return null;
  const [, , , solved, states, planned, low, high] = found;
  let hint = `${count(solved)} of ${count(states)} searches solved`;
  if (low !== null) hint += `; seeds from ${percent(low)} to ${percent(high)}`;
  if (states < planned) hint += `; ${count(planned - states)} not run yet`;
  return { value: (100 * solved) / states, hint, unfinished: states < planned };
}

function trainingTime(column, difficulty) {
  if (column.paper) {
    const hours = column.hours[difficulty];
    return hours === null ? null : hours * 3600;
  }
  const rows = page.training.filter(([d, k, c]) => d === difficulty && c === column.place && chosen.domains.has(k));
  return rows.length ? sum(rows.map((row) => row[3])) / sum(rows.map((row) => row[4])) : null;
}

function best(columns, values) {
  const learned = (paper) => values.filter((value, i) => value !== null && columns[i].learned && !!columns[i].paper === paper);
  const highest = { true: Math.max(...learned(true)), false: Math.max(...learned(false)) };
  const bold = columns.map((column, i) => column.learned && values[i] !== null && values[i] > 0
    && values[i].toFixed(1) === highest[!!column.paper].toFixed(1));
  // If all values are equal, none is marked as the best.
  const allEqual = (paper) => learned(paper).length > 1 && columns.filter((column, i) => bold[i] && !!column.paper === paper).length === learned(paper).length;
  const flat = { true: allEqual(true), false: allEqual(false) };
  return bold.map((is, i) => is && !flat[!!columns[i].paper]);
}

function coverageRow(columns, name, cells, attributes = {}) {
  const values = cells.map((cell) => (cell ? cell.value : null));
  const bold = best(columns, values);
  const row = make("tr", attributes, make("th", { scope: "row" }, name));
  cells.forEach((cell, i) => {
    const classes = [bold[i] ? "best" : "", columns[i].paper ? "paper" : ""].join(" ").trim();
    const tint = cell && !columns[i].paper ? `background: rgba(var(--tint), ${(0.0022 * cell.value).toFixed(3)})` : null;
    const td = make("td", { class: classes, title: cell ? cell.hint : "not run", style: tint }, percent(values[i]));
    if (cell && cell.unfinished) td.append(make("span", { class: "few" }, " …"));
    row.append(td);
  });
  return row;
}

function drawCoverage() {
  const columns = shownColumns();
  const table = byId("coverage-table");
  const { column: sorted, down } = chosen.sort;
  const direction = (number) => (number === sorted ? (down ? "descending" : "ascending") : "none");
  const heading = (number, name, small, paper) => make(
    "th", { scope: "col", class: paper ? "paper" : "", "aria-sort": direction(number) },
    make("button", { type: "button", onclick: () => sortBy(number) }, make("b", {}, name), small ? make("small", {}, small) : null),
  );
  const head = make("tr", {}, heading(-1, "Domain", "", false), ...columns.map((column, i) => {
    const imported = !column.paper && page.methods.find((method) => method.label === column.method).imported;
    const [name, ...options] = column.method.split(",");
    const small = [column.paper ? "paper" : "", ...options, column.title, imported ? "imported" : ""].filter(Boolean).join(", ");
    return heading(i, name, small, column.paper);
  }));
  const body = make("tbody");
  page.difficulties.forEach((difficulty, d) => {
    const domains = page.domains.map((_, k) => k).filter((k) => chosen.domains.has(k));
    const rows = domains.map((k) => ({ name: page.domains[k], cells: columns.map((column) => column.cell(d, k)) }))
      .filter((row) => row.cells.some((cell, i) => cell && !columns[i].paper));
    if (!rows.length) return;
    const key = (row) => (sorted < 0 ? row.name : row.cells[sorted] ? row.cells[sorted].value : -1);
    rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (sorted < 0 ? (down ? 1 : -1) : down ? -1 : 1));
    body.append(make("tr", { class: "group" }, make("th", { colspan: columns.length + 1, scope: "rowgroup" }, make("span", {}, `${difficulty} tasks`))));
    rows.forEach((row) => body.append(coverageRow(columns, row.name, row.cells, { "data-domain": row.name, "data-difficulty": difficulty })));
    const averages = columns.map((_, i) => {
      const values = rows.filter((row) => row.cells[i]).map((row) => row.cells[i].value);
      return values.length ? { value: mean(values), hint: `mean over ${plural(values.length, "domain")}` } : null;
    });
    body.append(coverageRow(columns, "Average", averages, { class: "total", "data-difficulty": difficulty }));
    const times = columns.map((column) => trainingTime(column, d));
    if (times.some((time) => time !== null)) {
      body.append(make("tr", { class: "time" }, make("th", { scope: "row" }, "Training per instance"),
        ...times.map((time, i) => make("td", { class: columns[i].paper ? "paper" : "" }, duration(time)))));
    }
  });
  table.replaceChildren(make("thead", {}, head), body);
  const unfinished = page.counts.done < page.counts.units;
  byId("coverage-note").textContent = [
    unfinished ? `The experiment is not finished: ${count(page.counts.done)} of ${count(page.counts.units)} units have a result, and … marks incomplete cells.` : "",
    chosen.paper ? `The paper’s figures, in italics: ${page.paper.source}. Its averages are taken over the domains shown here; its training times are over its whole benchmark.` : "",
  ].filter(Boolean).join(" ");
}

function sortBy(number) {
  const same = chosen.sort.column === number;
  chosen.sort = { column: number, down: same ? !chosen.sort.down : true };
  drawCoverage();
}

// A simple table of headings and rows of texts; columns whose indices are in `left` are left-aligned.
function drawTable(id, headings, rows, left = []) {
  const head = make("tr", {}, ...headings.map((name, i) => make("th", { scope: "col", class: left.includes(i) ? "left" : "" }, make("b", {}, name))));
  const kind = (i, text) => (left.includes(i) ? (text.length > 40 ? "words" : "left") : "");
  const body = rows.map((row) => make("tr", {}, ...row.map((text, i) => make("td", { class: kind(i, text) }, text))));
  byId(id).replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
}

function tableTexts(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => {
    const name = cell.querySelector("b") ? cell.querySelector("b").textContent : cell.textContent.replace(" …", "");
    const small = cell.querySelector("small");
    return { text: small ? `${name} (${small.textContent})` : name, best: cell.classList.contains("best"), span: cell.colSpan };
  }));
}

function asCsv(table) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return tableTexts(table).map((row) => row.map((cell) => quoted(cell.text === "–" ? "" : cell.text)).join(",")).join("\n") + "\n";
}

function asLatex(table) {
  const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "–": "--", "…": "\\ldots{}" };
  const escaped = (text) => text.replace(/[\\~^–…&%$#_{}]/g, (letter) => special[letter] || `\\${letter}`);
  const rows = tableTexts(table);
  const width = Math.max(...rows.map((row) => row.length));
  const lines = rows.map((row, i) => {
    const cells = row.map((cell) => {
      const text = cell.best ? `\\textbf{${escaped(cell.text)}}` : escaped(cell.text);
      return cell.span > 1 ? `\\multicolumn{${cell.span}}{c}{${text}}` : text;
    });
    const total = table.rows[i].className === "total";
    return `${total || row[0].span > 1 ? "\\hline\n" : ""}${cells.join(" & ")} \\\\${i === 0 ? " \\hline" : ""}`;
  });
  return `\\begin{tabular}{l${"r".repeat(width - 1)}}\n${lines.join("\n")}\n\\end{tabular}\n`;
}
