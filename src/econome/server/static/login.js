"use strict";

// The code stands behind the `#`, which no browser sends anywhere; it leaves the address bar before it is used.
const state = document.getElementById("state");
const code = location.hash.slice(1);
history.replaceState(null, "", "/login");

async function enter() {
  if (!code) {
    state.textContent = state.dataset.noCode;
    return;
  }
  state.textContent = state.dataset.opening;
  try {
    const answer = await fetch("/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    if (answer.ok) location.replace("/");
    else state.textContent = state.dataset.used;
  } catch {
    state.textContent = state.dataset.away;
  }
}

enter();
