"use strict";

// What the pages do beside links and forms: the manual's sheet, copies, and news of what changed.
const place = (id) => document.getElementById(id);
const say = (name) => {
  place("said").textContent = place("said").dataset[name];
};

// The sheet: `?` opens the manual's page of this screen beside it; a link in it shows another page in the same place.
const sheet = place("sheet");
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "?" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const help = place("help");
  if (help && !sheet.open) help.click();
});
document.body.addEventListener("htmx:afterSwap", (event) => {
  const text = place("sheet-text");
  if (event.detail.target !== text) return;
  if (sheet.open) text.focus({ preventScroll: true });
  else sheet.showModal();
  sheet.scrollTop = 0;
});
place("sheet-close").addEventListener("click", () => sheet.close());

// Copies: a link to a file of the figure's; with a script its text, or its picture, goes to the clipboard instead. Where
// the browser does not allow that, the file is saved. Keys that open a link elsewhere still do.
async function words(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw answer;
  return new Blob([await answer.text()], { type: "text/plain" });
}

async function picture(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * 2;
  canvas.height = image.naturalHeight * 2;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function save(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function tell(link, name, done) {
  place("said").textContent = ""; // what is said twice is else heard once
  setTimeout(() => say(name), 50);
  link.dataset.done = done;
  setTimeout(() => delete link.dataset.done, 3000);
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-copy]");
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || elsewhere || event.defaultPrevented) return;
  event.preventDefault();
  const drawn = link.dataset.copy === "png";
  const file = drawn ? picture(link.href) : words(link.href);
  try {
    await navigator.clipboard.write([new ClipboardItem({ [drawn ? "image/png" : "text/plain"]: file })]);
    tell(link, "copied", "copied");
  } catch {
    try {
      const name = new URL(link.href).pathname.split("/").pop();
      save(await file, drawn ? name.replace(/svg$/, "png") : name);
      tell(link, "refused", "saved");
    } catch {
      tell(link, "away", "failed");
    }
  }
});

// A part of the page that was fetched changes the address: links and forms outside of it that said what the address said
// before say what it says now, so that a series stays hidden while sessions are searched or turned over.
let told = new URLSearchParams(location.search);
const same = (one, other, name) => one.getAll(name).join("\n") === other.getAll(name).join("\n");

function retold(address, names, now) {
  const url = new URL(address, location);
  if (!`${url.pathname}/`.startsWith(`${location.pathname}/`)) return address;
  for (const name of names) {
    if (!same(url.searchParams, told, name)) continue;
    url.searchParams.delete(name);
    for (const value of now.getAll(name)) url.searchParams.append(name, value);
  }
  return url.pathname + url.search + url.hash;
}

function refill(form, names, now) {
  const into = place(form.dataset.fields) ?? form;
  for (const name of names) {
    if (form.querySelector(`[name="${name}"]:not([type="hidden"])`)) continue;
    for (const old of [...form.elements]) if (old.name === name) old.remove();
    for (const value of now.getAll(name)) {
      const field = Object.assign(document.createElement("input"), { type: "hidden", name, value });
      if (into !== form) field.setAttribute("form", form.id);
      into.append(field);
    }
  }
}

document.body.addEventListener("htmx:pushedIntoHistory", () => {
  const now = new URLSearchParams(location.search);
  const changed = new Set([...told.keys(), ...now.keys()].filter((name) => !same(told, now, name)));
  changed.delete("page"); // another question begins with its first page
  for (const link of document.querySelectorAll("main a[href], .tools a[href]")) {
    for (const name of ["href", "hx-get"]) {
      const address = link.getAttribute(name);
      if (address) link.setAttribute(name, retold(address, changed, now));
    }
    if (link.hasAttribute("hx-get")) htmx.process(link);
  }
  for (const form of document.querySelectorAll("main form.filters")) refill(form, changed, now);
  told = now;
});
