"use strict";

// Every text of the pages, in each language; a page takes the one its reader's browser names.
const TEXTS = {
  en: {
    opening: "Opening …",
    no_code: "This page needs the link that `econome open` prints in a terminal.",
    away: "The server does not answer. Is `econome serve` still running?",
    closed: "The session has ended. `econome open` prints a link for another.",
    saved: "Net tokens saved by delegations",
    balance: "Balance",
    client: "Client",
    delegations: "Delegations",
    avoided: "Avoided",
    steering: "Steering",
    corrections: "Rework",
    net: "Net",
    today: "Today",
    net_today: "Net tokens saved by delegations: {net}",
    model: "Model",
    input: "Input",
    output: "Output",
    cache: "Cache read",
    cache_write: "Cache write",
    cost: "USD",
    unpriced: "n/a",
    nothing: "Nothing yet.",
    list_prices: "At list prices; what a subscription costs is another matter.",
  },
  fr: {
    opening: "Ouverture…",
    no_code: "Cette page demande le lien qu’affiche `econome open` dans un terminal.",
    away: "Le serveur ne répond pas. `econome serve` tourne-t-il encore ?",
    closed: "La session est terminée. `econome open` affiche un lien pour une autre.",
    saved: "Tokens nets économisés par les délégations",
    balance: "Bilan",
    client: "Client",
    delegations: "Délégations",
    avoided: "Évités",
    steering: "Pilotage",
    corrections: "Reprises",
    net: "Net",
    today: "Aujourd’hui",
    net_today: "Tokens nets économisés par les délégations\u00a0: {net}",
    model: "Modèle",
    input: "Entrée",
    output: "Sortie",
    cache: "Lus du cache",
    cache_write: "Écrits au cache",
    cost: "USD",
    unpriced: "n/d",
    nothing: "Rien encore.",
    list_prices: "Aux prix publics ; le coût d’un abonnement est une autre question.",
  },
};

const LANGUAGE = navigator.language.toLowerCase().startsWith("fr") ? "fr" : "en";
const text = (name) => TEXTS[LANGUAGE][name];
document.documentElement.lang = LANGUAGE;
