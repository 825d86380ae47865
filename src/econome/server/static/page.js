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
