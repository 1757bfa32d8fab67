// The desk works without this file. It adds: live columns, countdowns, keys, focus, notices, copying.
(() => {
  "use strict";
  const html = document.documentElement, body = document.body, day = body.dataset.day;
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const panel = () => $("#panel"), grid = () => $("#grid");
  html.classList.add("js");

  // ---- short notices ----
  function say(text, stays) {
    if (!text) return;
    const toast = document.createElement("p");
    toast.className = "toast";
    toast.textContent = text;
    const shown = $$("#toasts .toast");
    if (shown.length > 1) shown[0].remove();
    $("#toasts").append(toast);
    if (!stays) fade(toast);
  }
  function fade(toast) {
    setTimeout(() => (toast.matches(":hover,:focus-within") ? fade(toast) : toast.remove()), 8000);
  }
  $$("#toasts .toast").forEach(fade);
  document.addEventListener("click", (event) => event.target.closest("[data-dismiss]")?.closest(".toast").remove());
  document.addEventListener("firme:token", (event) => {
    $$("[name=csrf_token]").forEach((each) => (each.value = event.detail.token));
    body.setAttribute("hx-headers:inherited", JSON.stringify({ "X-CSRFToken": event.detail.token }));
  });
  document.addEventListener("firme:say", (event) => say(event.detail.text));

  // ---- focus and the panel ----
  let opener = null;
  function closePanel() {
    const left = panel();
    if (!day || !left || !left.firstElementChild) return false;
    const booking = $("[data-booking]", left)?.dataset.booking;
    left.replaceChildren();
    mark();
    const back = document.getElementById(opener || "") || (booking && $(`#grid [data-booking="${booking}"]`)) || grid();
    if (back) back.focus({ preventScroll: true });
    return true;
  }
  function mark() {
    const booking = $("#panel [data-url][data-booking]")?.dataset.booking;
    $$("#grid [aria-current]").forEach((each) => each.removeAttribute("aria-current"));
    if (booking) $$(`#grid [data-booking="${booking}"]`).forEach((each) => each.setAttribute("aria-current", "true"));
    if (!day) return;
    const url = new URL(location.href);
    if (booking) url.searchParams.set("r", booking); else url.searchParams.delete("r");
    history.replaceState(history.state, "", url);
  }
  function focusPanel() {
    const field = $("#panel [aria-invalid=true]") ||
      (matchMedia("(pointer:fine)").matches && !$("#panel [role=alert]") && $("#panel #f-phone")) || $("#panel-title");
    if (field) field.focus({ preventScroll: true });
    if (panel()) panel().scrollTop = 0;
  }
  document.addEventListener("click", (event) => {
    if (event.target.closest("#panel [data-close]") && closePanel()) event.preventDefault();
  });
  document.addEventListener("htmx:before:request", () => {
    const active = document.activeElement;
    if (active?.id && !active.closest("#panel")) opener = active.id;
  });
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail, status = ctx.response?.status;
    const isRefresh = ctx.request.method === "GET" && ctx.sourceElement?.dataset?.url;
    if (isRefresh && status >= 400 && (status !== 401 || $(`#toasts [data-status="401"]`))) event.preventDefault();
    if (status >= 500 && !ctx.hx?.retarget) {
      event.preventDefault();
      if (ctx.request.method !== "GET") say(body.dataset.unsure, true);
    }
  });
  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx && event.detail.ctx.request.method !== "GET") say(body.dataset.unsure, true);
  });
  document.addEventListener("htmx:after:swap", (event) => {
    const { ctx } = event.detail, target = ctx.target;
    if (target?.id === "panel" && ctx.swap === "innerHTML") focusPanel();
    if (target?.id === "panel" || target?.closest?.("#grid")) mark();
    const count = $("[data-count]")?.dataset.count;
    if (count !== undefined) $$("[data-review-count]").forEach((each) => (each.textContent = +count || ""));
    unfolded.forEach((id) => document.getElementById(id)?.setAttribute("open", ""));
    rove();
    moveNow();
    tickAll();
  });
  const unfolded = new Set();
  document.addEventListener("toggle", ({ target }) => {
    if (target.id && target.isConnected) unfolded[target.open ? "add" : "delete"](target.id);
  }, true);

  // ---- what changed elsewhere ----
  const own = new Map();
  let waiting = new Set(), timer = null;
  function fetchInto(element, swap = "outerMorph") {
    if (element) htmx.ajax("GET", element.dataset.url, { source: element, target: element, swap });
  }
  const refreshList = () => fetchInto($("#list"));
  function refreshAll() { fetchInto(grid()); refreshList(); }
  function refreshColumns(resources) {
    resources.forEach((each) => waiting.add(each));
    timer ??= setTimeout(() => {
      waiting.forEach((each) => fetchInto(document.getElementById(`col-${each}`)));
      waiting = new Set();
      timer = null;
      refreshList();
    }, 80);
  }
  const isTyping = () => $$("#panel input:not([type=hidden], [readonly]), #panel textarea")
    .some((each) => each.value !== each.defaultValue || each === document.activeElement);
  function refreshPanel(booking) {
    const shown = booking && $(`#panel [data-url][data-booking="${booking}"]`);
    if (!shown) return;
    if (isTyping()) $("#panel-news").hidden = false;
    else htmx.ajax("GET", shown.dataset.url, { source: shown, target: "#panel", swap: "innerMorph" });
  }
  document.addEventListener("firme:changed", (event) => {
    (event.detail.bookings || []).forEach((each) => own.set(each, Date.now()));
    if (day) refreshColumns(event.detail.resources);
  });
  document.addEventListener("firme:reframe", () => fetchInto(grid()));

  const isOwn = (booking) => Date.now() - (own.get(booking) || 0) < 3000;
  function onBell(event) {
    const bell = JSON.parse(event.data), isMoney = bell.kind.startsWith("payment.");
    if (!bell.resources.length) refreshAll();
    else if (bell.days.includes(day) || $(`#grid [data-booking="${bell.booking}"]`)) refreshColumns(bell.resources);
    else if (isMoney || bell.kind.includes("no_show") || bell.kind.includes("undone")) refreshList();
    if ((isMoney && bell.kind !== "payment.created") || !isOwn(bell.booking)) refreshPanel(bell.booking);
    if (bell.kind === "payment.paid") tellPaid(bell.booking);
  }

  // ---- a deposit came in while nobody was looking ----
  const title = document.title;
  let unseen = 0;
  async function tellPaid(booking, address) {
    const answer = await fetch(address || body.dataset.paid.replace(/[0-]{36}/, booking)).catch(() => null);
    if (answer?.status !== 200 || answer.redirected) return;
    say((await answer.json()).said);
    if (address) refreshPanel(booking);
    if (document.hasFocus()) return;
    unseen += 1;
    document.title = `(${unseen}) ${body.dataset.paidTitle} · ${title}`;
  }
  addEventListener("focus", () => {
    if (unseen) document.title = title;
    unseen = 0;
  });

  // ---- copying: browsers give the clipboard to secure pages only, the old way to all ----
  async function copy(button) {
    const field = document.getElementById(button.dataset.copy), label = $("span", button);
    button.dataset.label ??= label.textContent;
    let isCopied = true;
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      field.select();
      isCopied = document.execCommand("copy");
      if (isCopied) button.focus({ preventScroll: true });
    }
    label.textContent = isCopied ? button.dataset.copied : button.dataset.notCopied;
    button.classList.toggle("did", isCopied);
    setTimeout(() => { label.textContent = button.dataset.label; button.classList.remove("did"); }, 2500);
  }
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-copy]");
    if (button) copy(button);
    else if (target.matches("input.code")) target.select();
  });
  let wasLost = 0, polling = null;
  function showLive(isOn) {
    const light = $("#live"), words = $("#live span");
    if (light) light.dataset.live = isOn ? "on" : "off";
    if (words) words.textContent = isOn ? words.dataset.on : words.dataset.off;
    if (isOn) {
      clearInterval(polling);
      polling = null;
      if (wasLost) refreshAll();
      wasLost = 0;
      $("#offline").hidden = true;
    } else {
      wasLost ||= Date.now();
      polling ??= setInterval(() => {
        if (navigator.onLine) refreshAll();
        $("#offline").textContent = body.dataset.lost;
        $("#offline").hidden = navigator.onLine || Date.now() - wasLost < 10000;
      }, 5000);
    }
  }
  let stream = null;
  function listen() {
    stream?.close();
    stream = new EventSource(body.dataset.live);
    stream.addEventListener("open", () => showLive(true));
    stream.addEventListener("change", onBell);
    stream.addEventListener("error", () => {
      showLive(false);
      if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 20000);
    });
  }
  addEventListener("offline", () => day && showLive(false));
  addEventListener("online", () => day && listen());
  addEventListener("pagehide", () => stream?.close());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // ---- the server's clock: countdowns and the now line ----
  const ahead = body.dataset.now ? Date.parse(body.dataset.now) - Date.now() : 0;
  const now = () => Date.now() + ahead;
  const words = { 300: "five", 120: "two", 60: "one" };
  function tickAll() {
    $$("[data-until]").forEach((each) => {
      const left = Math.max(0, Math.ceil((Date.parse(each.dataset.until) - now()) / 1000));
      const text = `${String(Math.floor(left / 60)).padStart(2, "0")}:${String(left % 60).padStart(2, "0")}`;
      if (each.textContent !== text) each.textContent = text;
      const box = each.closest(".timebox, .pix");
      if (box) {
        box.classList.toggle("soon", left <= 120);
        const voice = $("#countdown-said");
        if (voice && words[left]) voice.textContent = voice.dataset[words[left]];
      }
      if (left === 0 && !each.dataset.over) {
        each.dataset.over = "1";
        setTimeout(() => {
          const column = each.closest(".col");
          if (column) refreshColumns([column.id.slice(4)]);
          const booking = each.closest("#panel [data-booking]")?.dataset.booking;
          if (booking) refreshPanel(booking);
          if (!column && !booking && day) refreshList();
        }, 400);
      }
    });
  }
  function shortenLines() {
    $$("[data-line]").forEach((each) => {
      const [since, until] = each.dataset.line.split("/").map(Date.parse);
      const left = Math.max(0, Math.min(1, (until - now()) / (until - since)));
      each.firstElementChild.setAttribute("width", `${Math.round(left * 100)}%`);
    });
  }
  const zone = body.dataset.zone;
  const clock = zone && new Intl.DateTimeFormat("es", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  function moveNow() {
    const sheet = grid();
    if (!sheet || !("today" in sheet.dataset)) return;
    const row = (now() - Date.parse(sheet.dataset.start)) / 300000;
    sheet.classList.toggle("is-today", row >= 0 && row <= +sheet.dataset.rows);
    sheet.style.setProperty("--now", row.toFixed(3));
    $$(".nowpill, [data-clock]").forEach((each) => (each.textContent = clock.format(now())));
  }
  function everyMinute() {
    setTimeout(() => {
      if (!document.hidden && grid() && "today" in grid().dataset) refreshAll();
      moveNow();
      everyMinute();
    }, 60500 - (now() % 60000));
  }

  // ---- keys ----
  const items = () => $$("#grid [data-free], #grid .col [data-booking]");
  function rove(chosen) {
    const all = items();
    if (!all.length) return;
    const one = chosen || all.find((each) => each === document.activeElement) || all.find((each) => each.tabIndex === 0 && each.dataset.roved) || all[0];
    all.forEach((each) => { each.tabIndex = each === one ? 0 : -1; each.toggleAttribute("data-roved", each === one); });
  }
  const top = (element) => element.getBoundingClientRect().top;
  function step(from, key) {
    const column = from.closest(".col"), columns = $$("#grid .col");
    const inColumn = (each) => items().filter((item) => item.closest(".col") === each).sort((a, b) => top(a) - top(b));
    const here = inColumn(column), at = here.indexOf(from);
    if (key === "Home") return here[0];
    if (key === "End") return here[here.length - 1];
    if (key === "ArrowDown") return here[at + 1];
    if (key === "ArrowUp") return here[at - 1];
    const beside = columns[columns.indexOf(column) + (key === "ArrowRight" ? 1 : -1)];
    return beside && inColumn(beside).sort((a, b) => Math.abs(top(a) - top(from)) - Math.abs(top(b) - top(from)))[0];
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape") { if (closePanel()) event.preventDefault(); return; }
    const item = event.target.closest?.("#grid [data-free], #grid .col [data-booking]");
    if (item && /^(Arrow|Home$|End$)/.test(event.key)) {
      const next = step(item, event.key);
      event.preventDefault();
      if (next) { rove(next); next.focus(); }
      return;
    }
    if (event.target.closest?.("input, select, textarea, [contenteditable]")) return;
    const shortcut = $(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (shortcut) { event.preventDefault(); shortcut.matches("input") ? shortcut.select() : shortcut.click(); }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]") && event.target.value) event.target.form.requestSubmit();
  });

  // Where no stream tells, who waits for money asks: the panel on a page of its own, or offline.
  setInterval(() => {
    const waiting = $("#panel [data-waits]");
    const isTold = day && !polling && stream?.readyState === EventSource.OPEN;
    if (!waiting || isTold || document.hidden || !navigator.onLine) return;
    if (!isTyping()) refreshPanel(waiting.dataset.booking);
    else if ($("#panel-news").hidden) tellPaid(waiting.dataset.booking, waiting.dataset.waits);
  }, 2000);

  if (day) {
    listen();
    everyMinute();
    moveNow();
    rove();
    const pill = $(".is-today .nowpill");
    if (pill && !location.hash) grid().scrollTop = pill.offsetTop - grid().clientHeight * 0.4;
  }
  setInterval(() => { tickAll(); shortenLines(); }, 1000);
  tickAll();
})();
