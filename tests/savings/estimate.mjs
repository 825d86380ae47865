// The arithmetic of the producer of events, written from the contract and not from the Python code: one case as JSON on
// each line of stdin, one answer on each line of stdout. Whole numbers travel as text, so that none is rounded.
import { createInterface } from "node:readline";

const jetons = (texte) => Math.ceil(texte.length / 4);
const entier = (nombre) => BigInt(nombre).toString();
const entiers = (objet) =>
  Object.fromEntries(Object.entries(objet).map(([cle, valeur]) => [cle, typeof valeur === "number" ? entier(valeur) : valeur]));

function estimer({ consigne: texte, tokens_entree, tokens_sortie, retour, reponse, par_subagent }) {
  const consigne = jetons(texte);
  const lus = Math.max(0, tokens_entree - consigne);
  const ecrits = tokens_sortie;
  const rendus = retour === "apercu" ? jetons(reponse) : ecrits;
  const evites = par_subagent ? lus + ecrits : lus + ecrits - (consigne + rendus);
  return { lus, ecrits, consigne, rendus, evites, methode: "caracteres/4" };
}

function cout({ usage }) {
  return (
    usage.input_tokens +
    usage.cache_creation_input_tokens +
    usage.output_tokens +
    Math.round(usage.cache_read_input_tokens / 10)
  );
}

const normaliser = (chemin) => chemin.replace(/\\/g, "/").toLowerCase();
const dernier = (liste) => (liste.length > 0 ? liste[liste.length - 1][1] : null);

function cible({ outil, entree, sorties }) {
  const connues = sorties.map(([chemin, demande]) => [normaliser(chemin), demande]).filter(([chemin]) => chemin !== "");
  if (outil === "Bash") {
    const commande = normaliser(entree.command ?? "");
    const parChemin = connues.filter(([chemin]) => commande.includes(chemin));
    if (parChemin.length > 0) return dernier(parChemin);
    return dernier(
      connues.filter(([chemin]) => {
        const nom = chemin.slice(chemin.lastIndexOf("/") + 1);
        return nom.length >= 6 && commande.includes(nom);
      }),
    );
  }
  if (!["Read", "Edit", "Write", "NotebookEdit"].includes(outil)) return null;
  const chemin = outil === "NotebookEdit" ? entree.notebook_path : entree.file_path;
  return dernier(connues.filter(([connu]) => connu === normaliser(chemin ?? "")));
}

function mesurerCorrection({ outil, entree, resultat }) {
  const ecrit = {
    Read: () => "",
    Edit: () => (entree.old_string ?? "") + (entree.new_string ?? ""),
    Write: () => entree.content ?? "",
    NotebookEdit: () => entree.new_source ?? "",
    Bash: () => entree.command ?? "",
  }[outil];
  if (ecrit === undefined) return null;
  const tokens_lus = outil === "Read" || outil === "Bash" ? jetons(resultat) : 0;
  const tokens_ecrits = jetons(ecrit());
  const total = tokens_lus + tokens_ecrits;
  return total === 0 ? null : entiers({ tokens_lus, tokens_ecrits, cout: total });
}

function suivi({ usage, suivis, lances }) {
  return entiers(Object.fromEntries(Object.entries(usage).map(([cle, n]) => [cle, Math.round((n * suivis) / lances)])));
}

// The lower case of each of these characters, null for one that this Unicode does not know yet.
function minuscules({ points }) {
  const lettres = points.map((point) => String.fromCodePoint(point));
  return lettres.map((lettre) => (/\P{Cn}/u.test(lettre) ? lettre.toLowerCase() : null));
}

const calculs = {
  estimer: (cas) => entiers(estimer(cas)),
  cout: (cas) => entier(cout(cas)),
  cible,
  mesurerCorrection,
  suivi,
  minuscules,
  normaliser: ({ chemin }) => normaliser(chemin),
};

for await (const ligne of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const cas = JSON.parse(ligne);
  process.stdout.write(JSON.stringify(calculs[cas.calcul](cas)) + "\n");
}
