"use strict";

// News: the server says that something changed, never what; the page then fetches itself and takes over what differs.
const live = place("live");
const liveNote = place("live-note");
const AGAIN_MS = 2000;
const LATER_MS = 60000;
let stream = null;
let stale = false;
let asking = false;

// Attributes that a reader changed, and not the server.
const kept = (node, name) => name === "open" && node.nodeName === "DETAILS";

// Makes `old` as `fresh` is by changing as little as can be: focus, scrolling, what is open and what was typed stay.
function renew(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
    old.replaceWith(fresh);
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !kept(old, name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !kept(old, name)) old.setAttribute(name, value);
  }
  const mine = [...old.childNodes];
  const theirs = [...fresh.childNodes];
  theirs.forEach((node, at) => {
    if (at < mine.length) renew(mine[at], node);
    else old.append(node);
  });
  mine.slice(theirs.length).forEach((node) => node.remove());
}

function busy() {
  const main = place("main");
  const selection = getSelection();
  if (!selection.isCollapsed && main.contains(selection.anchorNode)) return true;
  const field = document.activeElement;
  return main.contains(field) && field.matches("input, select") && field.value !== field.defaultValue;
}

async function refresh() {
  stale = true;
  if (asking || document.hidden || live.getAttribute("aria-pressed") !== "true") return;
  if (busy()) {
    setTimeout(() => stale && refresh(), AGAIN_MS);
    return;
  }
  asking = true;
  stale = false;
  const address = location.href;
  try {
    const answer = await fetch(address, { headers: { accept: "text/html" } });
    if (answer.status === 401) {
      end();
      return;
    }
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (location.href === address && !busy()) {
      renew(place("main"), page.getElementById("main"));
      htmx.process(place("main"));
      document.title = page.title;
    } else stale = true;
    liveNote.textContent = "";
  } catch {
    liveNote.textContent = place("said").dataset.away;
  } finally {
    asking = false;
    if (stale) setTimeout(refresh, AGAIN_MS);
  }
}

function listen() {
  if (stream || document.hidden || live.getAttribute("aria-pressed") !== "true") return;
  let broken = false;
  stream = new EventSource(document.body.dataset.live);
  stream.addEventListener("changed", refresh);
  stream.addEventListener("open", () => {
    if (broken) refresh();
    broken = false;
    liveNote.textContent = "";
  });
  stream.addEventListener("error", () => {
    // A stream that ends comes back by itself; a server that does not answer twice is away.
    if (broken) liveNote.textContent = place("said").dataset.away;
    broken = true;
    if (stream && stream.readyState === EventSource.CLOSED) {
      // Refused: this session has ended, or too many pages listen. The page itself tells which.
      hush();
      refresh();
      setTimeout(listen, LATER_MS);
    }
  });
}

function hush() {
  if (stream) stream.close();
  stream = null;
}

function end() {
  hush();
  live.setAttribute("aria-pressed", "false");
  live.disabled = true;
  liveNote.textContent = live.dataset.ended;
}

live.parentElement.hidden = false;
live.addEventListener("click", () => {
  const on = live.getAttribute("aria-pressed") !== "true";
  live.setAttribute("aria-pressed", String(on));
  if (on) {
    listen();
    refresh();
  } else hush();
});
// A tab that nobody sees asks for nothing: a browser has few connections to a server, and all its tabs share them.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) hush();
  else {
    listen();
    refresh();
  }
});
addEventListener("pagehide", hush);
addEventListener("pageshow", (event) => event.persisted && listen());
listen();
