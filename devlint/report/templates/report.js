"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));

  // ---- light and dark
  const themeButton = byId("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = { get() { try { return localStorage.getItem("devlint-theme"); } catch { return null; } },
                 set(value) { try { localStorage.setItem("devlint-theme", value); } catch { /* no storage here */ } } };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const showTheme = () => { byId("theme-name").textContent = isDark() ? "☾ Dark" : "☀ Light"; themeButton.setAttribute("aria-pressed", String(isDark())); };
  const chosen = kept.get();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  themeButton.hidden = false;
  showTheme();
  themeButton.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; kept.set(root.dataset.theme); showTheme(); });
  dark.addEventListener("change", showTheme);

  // ---- the map: one stop for the tab key, arrows move to the nearest tile
  const map = document.querySelector(".treemap"), hint = byId("hint");
  const tiles = map ? all(".tile", map) : [];
  let ask = () => {};
  if (tiles.length) tiles[0].tabIndex = 0;
  const boxOf = (tile) => { const box = tile.querySelector("rect"), n = (a) => +box.getAttribute(a); return { x: n("x") + n("width") / 2, y: n("y") + n("height") / 2 }; };
  const step = (from, dx, dy) => {
    const here = boxOf(from); let best = null, least = Infinity;
    for (const tile of tiles) {
      const there = boxOf(tile), x = there.x - here.x, y = there.y - here.y;
      const ahead = x * dx + y * dy, aside = Math.abs(x * dy) + Math.abs(y * dx);
      if (ahead <= 0.5) continue;
      if (ahead + 2.5 * aside < least) { least = ahead + 2.5 * aside; best = tile; }
    }
    return best;
  };
  const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  if (map) {
    map.addEventListener("keydown", (event) => {
      const tile = event.target.closest(".tile");
      if (!tile) return;
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); ask(tile.dataset.key); }
      const to = arrows[event.key] && step(tile, ...arrows[event.key]);
      if (arrows[event.key]) event.preventDefault();
      if (to) { tile.tabIndex = -1; to.tabIndex = 0; to.focus(); }
    });
    const tell = (event) => { const one = event.target.closest("[data-label]"); hint.textContent = one ? one.dataset.label : ""; };
    map.addEventListener("focusin", tell);
    map.addEventListener("mouseover", tell);
    map.addEventListener("click", (event) => { const one = event.target.closest("[data-key]"); if (one) ask(one.dataset.key); });
  }

  // ---- folders: open and close
  const rows = all("table.tree tbody tr");
  rows.forEach((row, at) => {
    const next = rows[at + 1], button = row.querySelector(".fold");
    if (!next || +next.dataset.depth <= +row.dataset.depth || row.dataset.folder === "") return;
    button.classList.add("can");
    button.tabIndex = 0;
    const name = row.querySelector(".link").textContent;
    const show = (open) => { button.setAttribute("aria-expanded", String(open)); button.textContent = open ? "▾" : "▸"; button.setAttribute("aria-label", (open ? "Close " : "Open ") + name); };
    show(!next.hidden);
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") !== "true";
      show(open);
      for (let below = at + 1; below < rows.length && +rows[below].dataset.depth > +row.dataset.depth; below++) {
        if (open && +rows[below].dataset.depth > +row.dataset.depth + 1) continue;
        rows[below].hidden = !open;
        const inner = rows[below].querySelector(".fold");
        if (!open && inner.classList.contains("can")) { inner.setAttribute("aria-expanded", "false"); inner.textContent = "▸"; }
      }
    });
  });

  // ---- the estimate
  const DAY = 480;
  const measured = (minutes) => {
    if (Math.round(minutes) < 60) return [String(Math.max(Math.round(minutes), 1)), "min"];
    const [value, unit] = minutes < DAY ? [minutes / 60, "h"] : [minutes / DAY, "days"];
    const number = value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);
    return number === "1" && unit === "days" ? ["1", "day"] : [number, unit];
  };
  const range = (low, high) => {
    if (!high) return "nothing";
    const [first, unit] = measured(low), [last, lastUnit] = measured(high);
    if (first === last && unit === lastUnit) return first + " " + unit;
    return unit.slice(0, 3) === lastUnit.slice(0, 3) ? first + " to " + last + " " + lastUnit : first + " " + unit + " to " + last + " " + lastUnit;
  };
  const estimate = byId("estimate");
  if (estimate) estimate.addEventListener("input", () => {
    let low = 0, high = 0;
    for (const row of all("tbody tr", estimate)) {
      const [best, worst] = all("input", row).map((one) => Math.max(+one.value || 0, 0) * +row.dataset.count);
      row.querySelector(".together").textContent = range(best, Math.max(best, worst));
      low += best; high += Math.max(best, worst);
    }
    byId("estimate-total").textContent = range(low, high);
  });

  // ---- findings
  const list = byId("list");
  if (!list) return;
  const data = JSON.parse(byId("data").textContent);
  const CHUNK = 25, PRINTED = 100;
  const [RULE, FILE, PLACE, REMEDY, MESSAGE, FIX, EXCERPT, DIFF] = [0, 1, 2, 3, 4, 5, 6, 7];
  const lowered = data.texts.map((text) => text.toLowerCase()), names = data.files.map((name) => name.toLowerCase());
  const ruleWords = data.rules.map((rule) => rule.slice(0, 2).join(" ").toLowerCase());
  const codeOf = (finding) => {
    const parts = finding[EXCERPT].map((row) => row[1]);
    for (const place of finding[DIFF]) for (const pair of place) { if (pair[1] !== null) parts.push(pair[1]); if (pair.length > 2 && pair[3] !== null) parts.push(pair[3]); }
    return parts.join("\n").toLowerCase();
  };
  const codes = new Array(data.findings.length);
  const has = (at, word) => {
    const one = data.findings[at];
    return names[one[FILE]].includes(word) || lowered[one[MESSAGE]].includes(word) || lowered[one[FIX]].includes(word) || ruleWords[one[RULE]].includes(word)
      || (codes[at] ??= codeOf(one)).includes(word);
  };
  const make = (tag, name, text) => { const one = document.createElement(tag); if (name) one.className = name; if (text !== undefined) one.textContent = text; return one; };
  const search = byId("search"), rule = byId("rule"), grouping = byId("grouping"), scopeButton = byId("scope"), foldAll = byId("fold-all");
  const remedies = all('input[name="remedy"]');
  let scope = "", found = [], opened = new Set(), isFirst = true;

  data.rules.forEach((one, at) => { const option = make("option", "", one[0] + " " + one[1]); option.value = String(at); rule.append(option); });

  const ticked = (cell, text) => { text.split("`").forEach((part, i, parts) => cell.append(i % 2 && i < parts.length - 1 ? make("code", "", part) : (i % 2 ? "`" : "") + part)); return cell; };
  const marked = (cell, text, marks) => {
    let at = 0;
    for (let i = 0; i < marks.length; i += 2) {
      if (marks[i] > at) cell.append(text.slice(at, marks[i]));
      cell.append(make("mark", "", text.slice(marks[i], marks[i + 1])));
      at = marks[i + 1];
    }
    cell.append(text.slice(at));
    return cell;
  };
  const pairRow = (pair) => {
    const row = make("div", "row");
    row.append(make("span", "n", pair[0] ? String(pair[0]) : ""));
    if (pair.length === 2) { row.append(make("span", "same", pair[1]), make("span", "same a", pair[1])); return row; }
    const [, before, beforeMarks, after, afterMarks] = pair;
    row.append(before === null ? make("span", "none") : marked(make("span", "del"), before, beforeMarks));
    row.append(after === null ? make("span", "none a") : marked(make("span", "ins a"), after, afterMarks));
    return row;
  };
  const findingCard = (at) => {
    const one = data.findings[at], card = make("article", "finding"), head = make("header"), code = data.rules[one[RULE]][0];
    const label = make("span", "badge b-" + data.remedies[one[REMEDY]][0], data.remedies[one[REMEDY]][1]);
    const said = make("span", "said");
    const link = make("a", "rule", code);
    link.href = data.rules[one[RULE]][4];
    link.rel = "noreferrer";
    said.append(link, " ");
    ticked(said, data.texts[one[MESSAGE]]);
    head.append(make("code", "where", data.files[one[FILE]] + ":" + one[PLACE]), said, label);
    card.append(head);
    const advice = data.rules[one[RULE]][3];
    if (data.texts[one[FIX]]) card.append(ticked(make("p", "fix"), "Fix: " + data.texts[one[FIX]]));
    else if (advice) card.append(ticked(make("p", "fix"), "What to do: " + advice));
    if (one[EXCERPT].length) {
      const block = make("div", "code one");
      for (const [number, text, marks] of one[EXCERPT]) { const row = make("div", "row"); row.append(make("span", "n", String(number)), marked(make("span", "same"), text, marks)); block.append(row); }
      card.append(block);
    }
    for (const place of one[DIFF]) { const block = make("div", "code"); place.forEach((pair) => block.append(pairRow(pair))); card.append(block); }
    return card;
  };

  const grow = (group, number) => {
    const from = group.shown, to = Math.min(from + number, group.members.length), part = document.createDocumentFragment();
    for (let i = from; i < to; i++) part.append(findingCard(group.members[i]));
    group.more.before(part);
    group.shown = to;
    const left = group.members.length - to;
    group.more.hidden = !left;
    group.more.textContent = "Show " + Math.min(left, CHUNK) + " more of " + left;
  };
  const groupsOf = (members) => {
    const key = grouping.value === "rule" ? RULE : FILE, groups = new Map();
    for (const at of members) { const id = data.findings[at][key]; if (!groups.has(id)) groups.set(id, []); groups.get(id).push(at); }
    const sorted = Array.from(groups, ([id, inside]) => ({ id, members: inside, shown: 0 }));
    return key === RULE ? sorted.sort((a, b) => a.id - b.id) : sorted.sort((a, b) => b.members.length - a.members.length || a.id - b.id);
  };
  const headOf = (group) => {
    const summary = make("summary"), title = make("span", "group-name"), badges = make("span", "badges");
    if (grouping.value === "rule") { const [code, name, about] = data.rules[group.id]; title.append(make("b", "", code + " "), name, ticked(make("small"), about)); }
    else title.append(make("b", "", data.files[group.id]));
    const counts = data.remedies.map(() => 0);
    for (const at of group.members) counts[data.findings[at][REMEDY]]++;
    counts.forEach((number, i) => { if (number) badges.append(make("span", "badge b-" + data.remedies[i][0], number.toLocaleString("en") + " " + data.remedies[i][1].replace(" fix", ""))); });
    summary.append(title, badges);
    return summary;
  };
  let groups = [];
  const draw = () => {
    const parts = document.createDocumentFragment();
    groups = groupsOf(found);
    for (const group of groups) {
      const box = make("details", "group"), key = grouping.value + group.id;
      group.box = box;
      group.more = make("button", "more");
      group.more.type = "button";
      group.more.addEventListener("click", () => { const at = group.shown; grow(group, CHUNK); const next = box.querySelectorAll(".finding")[at]; if (next) { next.tabIndex = -1; next.focus({ preventScroll: true }); } });
      box.append(headOf(group), group.more);
      group.open = () => { if (!group.shown) grow(group, CHUNK); };
      box.addEventListener("toggle", () => { if (box.open) { opened.add(key); group.open(); } else opened.delete(key); sayFold(); });
      if (opened.has(key)) { box.open = true; group.open(); }
      parts.append(box);
    }
    if (!groups.length) parts.append(make("p", "empty", "Nothing matches."));
    list.replaceChildren(parts);
  };
  const sayFold = () => { foldAll.textContent = groups.some((one) => !one.box.open) ? "Open all" : "Close all"; };
  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean), wanted = rule.value, kinds = remedies.map((one) => one.checked);
    found = [];
    for (let at = 0; at < data.findings.length; at++) {
      const one = data.findings[at];
      if (!kinds[one[REMEDY]] || (wanted !== "" && one[RULE] !== +wanted)) continue;
      if (scope) { const name = data.files[one[FILE]]; if (scope.endsWith("/") ? !name.startsWith(scope) : name !== scope) continue; }
      if (words.every((word) => has(at, word))) found.push(at);
    }
    if (isFirst && found.length) { opened.add("rule" + groupsOf(found)[0].id); isFirst = false; }
    const files = new Set(found.map((at) => data.findings[at][FILE])).size, number = (n) => n.toLocaleString("en");
    byId("count").textContent = number(found.length) + " of " + number(data.findings.length) + " findings, in " + number(files) + (files === 1 ? " file" : " files");
    scopeButton.hidden = !scope;
    scopeButton.textContent = "✕ " + scope;
    scopeButton.setAttribute("aria-label", "Show findings outside of " + scope + ", too");
    draw();
    sayFold();
  };
  let waiting = 0;
  const soon = () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(update); };
  search.addEventListener("input", soon);
  rule.addEventListener("change", () => { if (rule.value !== "") opened.add("rule" + rule.value); update(); });
  grouping.addEventListener("change", () => { if (grouping.value === "file" && scope && !scope.endsWith("/")) opened.add("file" + data.files.indexOf(scope)); update(); });
  remedies.forEach((one) => one.addEventListener("change", update));
  scopeButton.addEventListener("click", () => { scope = ""; update(); search.focus(); });
  foldAll.addEventListener("click", () => { const open = groups.some((one) => !one.box.open); for (const one of groups) one.box.open = open; });
  ask = (key) => {
    scope = key;
    if (key && !key.endsWith("/")) { grouping.value = "file"; opened.add("file" + data.files.indexOf(key)); }
    update();
    byId("findings").scrollIntoView();
    search.focus({ preventScroll: true });
  };
  all("button.link[data-key]").forEach((one) => one.addEventListener("click", () => ask(one.dataset.key)));
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); search.focus(); search.select(); }
    if (event.key === "Escape" && document.activeElement === search && search.value) { search.value = ""; update(); }
  });
  let printed = null;
  addEventListener("beforeprint", () => {
    printed = groups.filter((one) => !one.box.open);
    let room = PRINTED;
    for (const one of groups) {
      if (room <= 0) break;
      if (one.shown < Math.min(room, one.members.length)) grow(one, Math.min(room, one.members.length) - one.shown);
      one.box.open = true;
      room -= one.shown;
    }
    const left = found.length - groups.reduce((sum, one) => sum + (one.box.open ? one.shown : 0), 0);
    if (left > 0) list.append(make("p", "printed-rest", left.toLocaleString("en") + " more findings are not printed: filter them, or use --format md."));
  });
  addEventListener("afterprint", () => { all(".printed-rest", list).forEach((one) => one.remove()); (printed || []).forEach((one) => { one.box.open = false; }); });
  document.querySelector(".filters").hidden = false;
  update();
  performance.mark("devlint-ready");
})();
