"use strict";

// What the pages do beside links and forms: the manual's sheet, copies, and news of what changed.
const place = (id) => document.getElementById(id);
const say = (name) => {
  place("said").textContent = place("said").dataset[name];
};

// The sheet: `?` opens the manual's page of this screen beside it.
const sheet = place("sheet");
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "?" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const help = place("help");
  if (help && !sheet.open) help.click();
});
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "sheet-text" && !sheet.open) sheet.showModal();
});
place("sheet-close").addEventListener("click", () => sheet.close());

// Copies: a link to a file of the figure's; with a script its text, or its picture, goes to the clipboard instead.
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

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-copy]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    if (link.dataset.copy === "png") {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": picture(link.href) })]);
    } else {
      const answer = await fetch(link.href);
      if (!answer.ok) throw answer;
      await navigator.clipboard.writeText(await answer.text());
    }
    say("copied");
  } catch {
    say("refused");
  }
});
