"use strict";

const place = (id) => document.getElementById(id);
const whole = new Intl.NumberFormat(navigator.language);
const money = new Intl.NumberFormat(navigator.language, {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});
const count = (value) => whole.format(value);
const dollars = (value) => (value === null ? text("unpriced") : money.format(Number(value)));

async function ask(path) {
  const answer = await fetch(path, { headers: { accept: "application/json" } });
  if (!answer.ok) throw answer;
  return answer.json();
}

// Everything that is shown goes in as text, so that no name can become a part of the page.
function table(columns, rows) {
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const [title] of columns) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const [title, value] of columns) {
      const cell = line.insertCell();
      cell.dataset.title = title;
      cell.textContent = value(row);
    }
  }
  return made;
}

function nothing() {
  const line = document.createElement("p");
  line.textContent = text("nothing");
  return line;
}

function show(balance, ofDay, usage) {
  place("net").textContent = count(balance.total.net);
  place("net-of").textContent = text("saved");
  place("balance-title").textContent = text("balance");
  place("today-title").textContent = text("today");
  place("net-today").textContent = text("net_today").replace("{net}", count(ofDay.total.net));
  place("prices-note").textContent = usage.rows.length ? text("list_prices") : "";
  const clients = [
    [text("client"), (row) => row.client],
    [text("delegations"), (row) => count(row.delegations)],
    [text("avoided"), (row) => count(row.avoided)],
    [text("steering"), (row) => count(row.steering)],
    [text("corrections"), (row) => count(row.corrections)],
    [text("net"), (row) => count(row.net)],
  ];
  const models = [
    [text("model"), (row) => row.model],
    [text("input"), (row) => count(row.input_tokens)],
    [text("output"), (row) => count(row.output_tokens)],
    [text("cache"), (row) => count(row.cache_read_tokens)],
    [text("cache_write"), (row) => count(row.cache_write_5m_tokens + row.cache_write_1h_tokens)],
    [text("cost"), (row) => dollars(row.cost_usd)],
  ];
  place("balance").replaceChildren(table(clients, balance.clients));
  place("today").replaceChildren(usage.rows.length ? table(models, usage.rows) : nothing());
  place("state").textContent = "";
  place("figures").hidden = false;
}

async function load() {
  try {
    const balance = await ask("/api/v1/balance");
    const day = balance.today;
    const ofDay = await ask(`/api/v1/balance?since=${day}&until=${day}`);
    show(balance, ofDay, await ask(`/api/v1/usage?by=model&since=${day}&until=${day}`));
  } catch (problem) {
    const closed = problem instanceof Response && problem.status === 401;
    place("state").textContent = text(closed ? "closed" : "away");
  }
}

load();
