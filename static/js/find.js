// The search of the top bar as a combobox: arrows move, Enter opens, Escape closes. Without this
// file it is a form that leads to the list.
(() => {
  "use strict";
  document.addEventListener("htmx:after:swap", ({ detail: { ctx: { target } } }) => {
    const heard = document.getElementById("customers-said");
    if (heard && target?.id === "customers") heard.textContent = target.querySelector("[data-said]")?.dataset.said || "";
  });

  const field = document.getElementById("find"), box = document.getElementById("find-box");
  if (!field || !box) return;
  const list = () => document.getElementById("find-list");
  const options = () => [...box.querySelectorAll("[role=option]")];
  const said = document.getElementById("find-said");
  let asked = "";

  function point(option) {
    options().forEach((each) => each.setAttribute("aria-selected", String(each === option)));
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }
  function show(isOpen) {
    box.classList.toggle("open", isOpen);
    field.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) field.removeAttribute("aria-activedescendant");
  }
  function close() {
    show(false);
    said.textContent = "";
  }
  document.addEventListener("htmx:after:swap", (event) => {
    if (event.detail.ctx.target !== box) return;
    const isWanted = options().length > 0 && document.activeElement === field && field.value.trim() !== "";
    asked = field.value;
    show(isWanted);
    if (isWanted) point(options()[0]);
    said.textContent = (isWanted && list().dataset.said) || "";
  });
  field.addEventListener("keydown", (event) => {
    const all = options(), isOpen = box.classList.contains("open");
    const at = all.findIndex((each) => each.id === field.getAttribute("aria-activedescendant"));
    if (event.key === "Escape") {
      event.preventDefault();
      if (isOpen) close();
      else { field.value = ""; field.blur(); }
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!all.length) return;
      if (!isOpen) show(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      point(all[isOpen ? (at + step + all.length) % all.length : 0]);
    } else if (event.key === "Enter" && isOpen && at >= 0 && asked === field.value) {
      event.preventDefault();
      all[at].click();
    }
  });
  field.addEventListener("focus", () => {
    if (options().length && field.value && field.value === asked) {
      show(true);
      point(options()[0]);
    }
  });
  field.form.addEventListener("focusout", (event) => {
    if (!field.form.contains(event.relatedTarget)) close();
  });
  box.addEventListener("mousedown", (event) => event.preventDefault());
})();
