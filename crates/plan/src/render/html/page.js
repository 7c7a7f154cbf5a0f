"use strict";

(() => {
  const find = (selector) => document.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const search = find("#search");
  const status = find("#status");
  const tools = find(".tools");
  const keys = find("#keys");
  const filters = all("input[type=checkbox]", tools);

  // The height of a chunk, as in the style sheet, and that of an entry that is folded, in rem.
  const CHUNK = 250;
  const FOLDED = 3;
  // In so few entries, what is found is also marked and unfolded.
  const FEW = 200;
  // The longest time in milliseconds for which a search keeps the page from answering.
  const SLICE = 12;

  // The entries with the headings and chunks that they are in; the text of an entry is read when it is searched.
  const entries = [];
  const chunks = new Map();
  const links = new Map();
  for (const section of all("main > section")) {
    const title = section.querySelector("h2");
    let group = null;
    for (const element of all("h3[id], article", section)) {
      if (element.tagName === "H3") {
        group = element;
        continue;
      }
      const chunk = element.parentElement;
      entries.push({ element, kind: element.dataset.a ?? title.dataset.k ?? title.id, text: null, chunk, parts: [section, title, group] });
      const count = (chunks.get(chunk)?.entries ?? 0) + 1;
      chunks.set(chunk, { entries: count, shown: count });
    }
  }
  for (const link of all("nav a")) {
    links.set(link.hash.slice(1), link);
  }
  let isFolded = false;
  let current = null;

  // Search and filters.

  const textOf = (entry) => (entry.text ??= entry.element.firstElementChild.textContent.toLowerCase());
  const words = () => search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const pause = () => new Promise((resolve) => setTimeout(resolve));

  const show = (isShown) => {
    const used = new Set();
    for (const chunk of chunks.values()) {
      chunk.shown = 0;
    }
    entries.forEach((entry, index) => {
      entry.element.hidden = !isShown[index];
      if (isShown[index]) {
        entry.parts.forEach((part) => used.add(part));
        chunks.get(entry.chunk).shown += 1;
      }
    });
    for (const part of new Set(entries.flatMap((entry) => entry.parts))) {
      if (part !== null) {
        part.hidden = !used.has(part);
        links.get(part.id)?.classList.toggle("none", part.hidden);
      }
    }
    estimate();
  };

  // Parts that are not in view have about the height that they will have.
  const estimate = () => {
    for (const [element, chunk] of chunks) {
      const isWhole = chunk.shown === chunk.entries && !isFolded;
      const height = isFolded ? FOLDED * chunk.shown : (CHUNK * chunk.shown) / chunk.entries;
      element.hidden = chunk.shown === 0;
      element.style.containIntrinsicBlockSize = isWhole ? "" : `${height}rem`;
    }
  };

  // Marks what is found, and unfolds the unchanged parts that it is in.
  let unfolded = [];
  const mark = (shown, sought) => {
    unfolded.forEach((part) => (part.open = false));
    unfolded = [];
    globalThis.CSS?.highlights?.delete("found");
    if (sought.length === 0 || shown.length > FEW) {
      return;
    }
    const ranges = [];
    for (const { element } of shown) {
      const walker = document.createTreeWalker(element.firstElementChild, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode;
        const text = node.data.toLowerCase();
        // A few letters have another length in lower case.
        for (const word of text.length === node.length ? sought : []) {
          for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
            const range = new StaticRange({
              startContainer: node, startOffset: at, endContainer: node, endOffset: at + word.length,
            });
            ranges.push(range);
            const part = node.parentElement.closest(".u");
            if (part !== null && !part.open && node.parentElement.tagName !== "SUMMARY") {
              part.open = true;
              unfolded.push(part);
            }
          }
        }
      }
    }
    if (globalThis.Highlight !== undefined) {
      CSS.highlights.set("found", new Highlight(...ranges));
    }
  };

  let run = 0;
  const filter = async () => {
    const own = ++run;
    const sought = words();
    const kinds = new Set(filters.filter((box) => box.checked).map((box) => box.value));
    const isShown = [];
    let start = performance.now();
    for (const entry of entries) {
      isShown.push((kinds.size === 0 || kinds.has(entry.kind)) && sought.every((word) => textOf(entry).includes(word)));
      if (performance.now() - start > SLICE) {
        await pause();
        if (own !== run) {
          return;
        }
        start = performance.now();
      }
    }
    const shown = entries.filter((_, index) => isShown[index]);
    show(isShown);
    mark(shown, sought);
    const isAll = sought.length === 0 && kinds.size === 0;
    status.textContent = isAll ? "" : `${shown.length} of ${entries.length} entries`;
  };

  const clear = () => {
    search.value = "";
    filters.forEach((box) => (box.checked = false));
    run += 1;
    show(entries.map(() => true));
    mark([], []);
    status.textContent = "";
  };

  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(filter, 100);
  });
  filters.forEach((box) => box.addEventListener("change", filter));

  // Entries.

  const go = (article) => {
    current = article;
    (article.querySelector("summary") ?? article.querySelector("a")).focus({ preventScroll: true });
    article.scrollIntoView({ block: "start" });
  };

  const step = (by) => {
    const active = document.activeElement.closest("article") ?? current;
    let index = entries.findIndex((entry) => entry.element === active);
    if (index < 0) {
      // The first one in view.
      const { left, width } = find("main").getBoundingClientRect();
      const elements = document.elementsFromPoint(left + width / 2, Math.min(innerHeight / 2, 240));
      const seen = elements.map((element) => element.closest("article")).find((article) => article !== null);
      index = Math.max(0, entries.findIndex((entry) => entry.element === seen)) - by;
    }
    do {
      index += by;
    } while (entries[index]?.element.hidden);
    if (entries[index] !== undefined) {
      go(entries[index].element);
    }
  };

  const foldAll = (fold) => {
    isFolded = fold;
    all("article > details").forEach((details) => (details.open = !fold));
    estimate();
  };

  // A link to an entry shows it, whatever is filtered or folded.
  const reveal = () => {
    const name = location.hash.slice(1);
    let element = document.getElementById(name);
    try {
      element ??= document.getElementById(new URL(`#${decodeURIComponent(name)}`, location.href).hash.slice(1));
    } catch {
      // It is no text that was encoded.
    }
    const article = element?.closest("article");
    if (article) {
      if (article.hidden) {
        clear();
      }
      const details = article.querySelector("details");
      if (details !== null) {
        details.open = true;
      }
      go(article);
    }
  };
  addEventListener("hashchange", reveal);
  // The browser itself scrolls when all is loaded, and takes the focus away.
  addEventListener("load", () => setTimeout(reveal));

  // Keys and buttons.

  const actions = {
    fold: () => foldAll(true),
    unfold: () => foldAll(false),
    keys: () => keys.showModal(),
    close: () => keys.close(),
  };
  document.addEventListener("click", (event) => {
    actions[event.target.closest("button")?.dataset.do]?.();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) {
      return;
    }
    if (event.target === search) {
      if (event.key === "Escape") {
        clear();
        search.blur();
      } else if (event.key === "Enter") {
        current = null;
        search.blur();
        const first = entries.find((entry) => !entry.element.hidden);
        if (first !== undefined) {
          go(first.element);
        }
      }
      return;
    }
    const onKey = {
      "/": () => {
        search.focus();
        search.select();
      },
      "j": () => step(1),
      "k": () => step(-1),
      "?": () => keys.showModal(),
      "Escape": clear,
    }[event.key];
    if (onKey !== undefined) {
      event.preventDefault();
      onKey();
    } else if (event.key === "Enter" && event.target === document.body) {
      const details = current?.querySelector("details");
      if (details) {
        details.open = !details.open;
      }
    }
  });

  tools.hidden = false;
  // An entry that is scrolled to must not be below the tools.
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--tools", `${tools.offsetHeight}px`);
  }).observe(tools);
})();
