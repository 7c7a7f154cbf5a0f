"use strict";

(() => {
  const find = (selector) => document.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const main = find("main");
  const search = find("#search");
  const status = find("#status");
  const tools = find(".tools");
  const menu = find(".menu");
  const keys = find("#keys");
  const filters = all("input[type=checkbox]", tools);

  // The heights of an entry that is folded and of a line of a diff, as in the style sheet, in rem.
  const FOLDED = 3;
  const LINE = 1.25;
  // In so few entries with so many characters, what is found is also marked and unfolded.
  const FEW = 200;
  const MUCH = 4_000_000;
  // The longest time in milliseconds for which a search keeps the page from answering.
  const SLICE = 12;
  // How far from the view entries are made.
  const NEAR = "1500px";
  // The actions on objects that are lost.
  const LOST = ["destroy", "replace"];

  // Entries, in chunks. On a large page the markup of an entry is a text until its chunk comes near the view, and that of its
  // diff until it is unfolded: neither is an element then.

  const DIFF = '<div class="d">';
  const DIFF_END = "</div></details>";
  const LINK = '<a class="l"';
  const CHARACTERS = { amp: "&", lt: "<", gt: ">", quot: '"' };
  const character = (_, name, code) => CHARACTERS[name] ?? String.fromCodePoint(code);
  const plain = (html) => html.replace(/&(?:(amp|lt|gt|quot)|#(\d+));/g, character);

  const entries = [];
  const chunks = new Map();
  const byName = new Map();
  const isLarge = main.classList.contains("f");
  let isFolded = isLarge;
  let current = null;

  const add = (chunk, parts, name, action, element, html) => {
    const kind = action ?? parts[1].dataset.k ?? parts[1].id;
    const entry = { name, kind, element, html, text: null, lines: null, isShown: true, chunk, parts };
    entries.push(entry);
    chunk.entries.push(entry);
    byName.set(name, entry);
  };

  const read = (chunk, parts) => {
    const inert = chunk.element.querySelector("noscript");
    if (inert === null) {
      all("article", chunk.element).forEach((article) => {
        add(chunk, parts, article.id, article.dataset.a, article, null);
        equip(article);
      });
      return;
    }
    for (const html of inert.textContent.split("</article>\n")) {
      const start = /^<article id="([^"]*)"(?: data-a="([^"]*)")?>/.exec(html);
      if (start !== null) {
        add(chunk, parts, plain(start[1]), start[2], null, html);
      }
    }
    inert.remove();
  };

  // Where the diff is in the markup of an entry.
  const diffOf = (html) => {
    const start = html.indexOf(DIFF);
    return start < 0 ? [0, 0] : [start, html.indexOf(DIFF_END, start) + "</div>".length];
  };

  const textOf = (entry) => {
    if (entry.text === null) {
      const { element, html } = entry;
      const text =
        html === null
          ? element.firstElementChild.textContent
          : plain(html.slice(0, html.lastIndexOf(LINK)).replace(/<[^>]*>/g, ""));
      entry.text = text.toLowerCase();
    }
    return entry.text;
  };

  const linesOf = (entry) => {
    if (entry.lines === null) {
      entry.lines = 1;
      const text = entry.html ?? entry.element.textContent;
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
        entry.lines += 1;
      }
    }
    return entry.lines;
  };

  // Adds the button that only a script can have.
  const equip = (article) => {
    const link = article.querySelector(".l");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "y";
    button.dataset.do = "copy";
    button.title = "Copy the address";
    button.setAttribute("aria-label", link.getAttribute("aria-label").replace("Link to", "Copy"));
    link.after(button);
  };

  // Makes the entries of a chunk, without the diffs of those that are folded.
  const build = (chunk) => {
    if (chunk.entries[0].element !== null) {
      return;
    }
    const markup = chunk.entries.map(({ html }) => {
      const [start, end] = diffOf(html);
      return isFolded ? html.slice(0, start) + html.slice(end) : html;
    });
    chunk.element.innerHTML = markup.join("</article>");
    chunk.entries.forEach((entry, index) => {
      entry.element = chunk.element.children[index];
      entry.element.hidden = !entry.isShown;
      equip(entry.element);
      if (!isFolded) {
        unfold(entry);
      }
    });
    estimate(chunk);
  };

  // Makes the diff of an entry.
  const fill = (entry) => {
    build(entry.chunk);
    const details = entry.element.querySelector("details");
    if (details !== null && details.childElementCount === 1) {
      details.insertAdjacentHTML("beforeend", entry.html.slice(...diffOf(entry.html)));
    }
    return details;
  };

  // Unfolds an entry, and says whether it was folded.
  const unfold = (entry) => {
    const details = fill(entry);
    const wasFolded = details !== null && !details.open;
    if (wasFolded) {
      details.open = true;
    }
    return wasFolded;
  };

  // Parts that are not in view have about the height that they will have.
  const estimate = (chunk) => {
    const shown = chunk.entries.filter((entry) => entry.isShown);
    const height = shown.reduce((sum, entry) => sum + FOLDED + (isFolded ? 0 : LINE * linesOf(entry)), 0);
    const isBuilt = chunk.entries[0].element !== null;
    const { style } = chunk.element;
    chunk.element.hidden = shown.length === 0;
    style.blockSize = isBuilt ? "" : `${height}rem`;
    style.containIntrinsicBlockSize = `${shown.length === chunk.entries.length ? "auto " : ""}${height}rem`;
  };

  const nearView = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (isIntersecting) {
          nearView.unobserve(target);
          build(chunks.get(target));
        }
      }
    },
    { rootMargin: `${NEAR} 0px` },
  );

  // Folds or unfolds all entries. Those of a large page that were made are forgotten, because so many elements take seconds.
  const foldAll = (fold) => {
    const seen = scrollY > main.offsetTop ? entryInView() : undefined;
    isFolded = fold;
    for (const chunk of chunks.values()) {
      if (isLarge) {
        chunk.element.replaceChildren();
        chunk.entries.forEach((entry) => (entry.element = null));
        nearView.unobserve(chunk.element);
        nearView.observe(chunk.element);
      } else {
        all("article > details", chunk.element).forEach((details) => (details.open = !fold));
      }
      estimate(chunk);
    }
    if (seen !== undefined) {
      build(seen.chunk);
      seen.element.scrollIntoView({ block: "start" });
    }
  };

  // Search and filters.

  const words = () => search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const pause = () => new Promise((resolve) => setTimeout(resolve));

  const show = (isShown) => {
    const used = new Set();
    entries.forEach((entry, index) => {
      entry.isShown = isShown[index];
      if (entry.element !== null) {
        entry.element.hidden = !entry.isShown;
      }
      if (entry.isShown) {
        entry.parts.forEach((part) => used.add(part));
      }
    });
    for (const part of new Set(entries.flatMap((entry) => entry.parts))) {
      if (part !== null) {
        part.hidden = !used.has(part);
        rows.get(part.id)?.classList.toggle("none", part.hidden);
      }
    }
    chunks.forEach(estimate);
  };

  // Marks what is found, and unfolds the entries and unchanged parts that it is in.
  let unfolded = [];
  const mark = (shown, sought) => {
    unfolded.forEach((part) => (part.open = false));
    unfolded = [];
    globalThis.CSS?.highlights?.delete("found");
    const size = shown.reduce((sum, entry) => sum + textOf(entry).length, 0);
    if (sought.length === 0 || shown.length > FEW || size > MUCH) {
      return;
    }
    const ranges = [];
    for (const entry of shown) {
      build(entry.chunk);
      const heading = entry.element.querySelector("h3, h4").textContent.toLowerCase();
      if (sought.some((word) => !heading.includes(word)) && unfold(entry)) {
        unfolded.push(entry.element.querySelector("details"));
      }
      const walker = document.createTreeWalker(entry.element.firstElementChild, NodeFilter.SHOW_TEXT);
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

  // From entry to entry.

  const entryOf = (element) => byName.get(element?.closest("article")?.id);

  const entryInView = () => {
    const { left, width } = main.getBoundingClientRect();
    const elements = document.elementsFromPoint(left + width / 2, Math.min(innerHeight / 2, 240));
    return elements.map(entryOf).find((entry) => entry !== undefined);
  };

  const go = (entry) => {
    current = entry;
    build(entry.chunk);
    (entry.element.querySelector("summary") ?? entry.element.querySelector("a")).focus({ preventScroll: true });
    entry.element.scrollIntoView({ block: "start" });
  };

  // The entry so many entries behind this one, from the one that has the focus or is in view.
  const step = (by, isWanted = () => true) => {
    const active = entryOf(document.activeElement) ?? current;
    let index = entries.indexOf(active);
    if (index < 0) {
      index = Math.max(0, entries.indexOf(entryInView())) - by;
    }
    do {
      index += by;
    } while (entries[index] !== undefined && !(entries[index].isShown && isWanted(entries[index])));
    return entries[index];
  };

  const goTo = (entry) => {
    if (entry !== undefined) {
      go(entry);
    }
  };

  const isLost = (entry) => LOST.includes(entry.kind);
  // Behind the last one comes the first one.
  const goToLost = () => goTo(step(1, isLost) ?? entries.find((entry) => entry.isShown && isLost(entry)));

  const entryAt = (hash) => {
    const name = hash.slice(1);
    try {
      return byName.get(name) ?? byName.get(new URL(`#${decodeURIComponent(name)}`, location.href).hash.slice(1));
    } catch {
      // It is no text that was encoded.
      return undefined;
    }
  };

  // A link to an entry shows it, whatever is filtered or folded.
  const reveal = (entry) => {
    if (entry !== undefined) {
      if (!entry.isShown) {
        clear();
      }
      unfold(entry);
    }
    return entry;
  };
  addEventListener("hashchange", () => goTo(reveal(entryAt(location.hash))));
  // The browser itself scrolls when all is loaded, and takes the focus away.
  addEventListener("load", () => setTimeout(() => goTo(entryAt(location.hash))));

  // Keys and buttons.

  const copy = async (entry) => {
    const article = entry?.element;
    const button = article?.querySelector(".y");
    if (!button) {
      return;
    }
    const text = article.querySelector(".l").getAttribute("aria-label").replace("Link to ", "");
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages that came over plain HTTP may only copy what is selected.
      const field = document.createElement("textarea");
      field.value = text;
      button.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      button.focus({ preventScroll: true });
    }
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1000);
  };

  const actions = {
    lost: goToLost,
    fold: () => foldAll(true),
    unfold: () => foldAll(false),
    keys: () => keys.showModal(),
    close: () => keys.close(),
    copy: (button) => copy(entryOf(button)),
  };
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    actions[button?.dataset.do]?.(button);
    // The browser looks for the element that a link leads to after this.
    const link = target.closest("a[href^='#']");
    if (link !== null) {
      reveal(entryAt(link.hash));
    }
    if (menu !== null && !menu.contains(target)) {
      menu.open = false;
    }
  });

  // This event does not bubble.
  const onToggle = ({ target }) => {
    if (target.open && target.parentElement?.tagName === "ARTICLE") {
      fill(entryOf(target));
    }
  };
  document.addEventListener("toggle", onToggle, true);

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
        goTo(entries.find((entry) => entry.isShown));
      }
      return;
    }
    const onKey = {
      "/": () => {
        search.focus();
        search.select();
      },
      "j": () => goTo(step(1)),
      "k": () => goTo(step(-1)),
      "d": goToLost,
      "c": () => copy(entryOf(document.activeElement) ?? current),
      "?": () => keys.showModal(),
      "Escape": clear,
    }[event.key];
    if (onKey !== undefined) {
      event.preventDefault();
      onKey();
    } else if (event.key === "Enter" && event.target === document.body) {
      const details = current?.element?.querySelector("details");
      if (details) {
        details.open = !details.open;
      }
    }
  });

  // All is printed.
  addEventListener("beforeprint", () => entries.forEach(fill));

  // The start.

  const rows = new Map();
  for (const link of all("nav th a")) {
    rows.set(link.hash.slice(1), link.closest("tr"));
  }
  for (const section of all("section", main)) {
    const title = section.querySelector("h2");
    let group = null;
    for (const element of all(".c, h3[id]", section)) {
      if (element.tagName === "H3") {
        group = element;
        continue;
      }
      const chunk = { element, entries: [] };
      chunks.set(element, chunk);
      read(chunk, [section, title, group]);
      if (isLarge) {
        estimate(chunk);
        nearView.observe(element);
      }
    }
  }
  if (isLarge) {
    build(entries[0].chunk);
    main.classList.add("ready");
  }
  reveal(entryAt(location.hash));

  tools.hidden = false;
  // An entry that is scrolled to must not be below the tools.
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--tools", `${tools.offsetHeight}px`);
  }).observe(tools);
})();
