"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const button = byId("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const show = () => { byId("theme-name").textContent = isDark() ? "☾ Dark" : "☀ Light"; button.setAttribute("aria-pressed", String(isDark())); };
  button.hidden = false;
  show();
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; show(); });
  dark.addEventListener("change", show);

  // ---- the ranking: a part of a name
  const filter = byId("filter"), rows = Array.from(document.querySelectorAll("#repositories tbody tr"));
  const narrow = () => {
    const wanted = filter.value.toLowerCase();
    let left = 0;
    for (const row of rows) { row.hidden = !row.dataset.name.toLowerCase().includes(wanted); left += !row.hidden; }
    byId("count").textContent = wanted ? `${left} of ${rows.length}` : "";
  };
  filter.addEventListener("input", narrow);

  // ---- the map
  const map = document.querySelector(".treemap"), hint = byId("hint");
  if (!map) return;
  const tiles = Array.from(map.querySelectorAll(".tile"));
  const ask = (key) => { filter.value = key; narrow(); byId("ranking").scrollIntoView(); filter.focus(); };
  if (tiles.length) tiles[0].tabIndex = 0;
  map.addEventListener("click", (event) => { const tile = event.target.closest(".tile"); if (tile) ask(tile.dataset.key); });
  map.addEventListener("keydown", (event) => {
    const at = tiles.indexOf(event.target.closest(".tile"));
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); ask(tiles[at].dataset.key); }
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (tiles[to]) { tiles[at].tabIndex = -1; tiles[to].tabIndex = 0; tiles[to].focus(); }
  });
  const tell = (event) => { const tile = event.target.closest("[data-label]"); hint.textContent = tile ? tile.dataset.label : ""; };
  map.addEventListener("focusin", tell);
  map.addEventListener("mouseover", tell);
})();
