import "./style.css";
import { Fragment, options, render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { News } from "../serve.js";
import { plainText } from "../../report/plain-text.js";
import { Correct } from "./correct.js";
import { Decide } from "./decide.js";
import { useSending } from "./edits.js";
import { Find } from "./find.js";
import { Files, Run, Runs, Start } from "./history.js";
import { listen, takeToken } from "./http.js";
import { Overview } from "./overview.js";
import { AGAIN_MS, HereIs, Link, Note, param, setZone, type Target, useData } from "./page.js";

const LONGEST = 1000;
/** Targets in the header. The overview has all of them. */
const FEW = 8;

const screens: { [path: string]: () => preact.JSX.Element } = {
  "/": Overview,
  "/correct": Correct,
  "/decide": Decide,
  "/find": Find,
  "/runs": Runs,
  "/run": Run,
  "/files": Files,
};
const menu = { "/": "Overview", "/runs": "Runs", "/files": "Files", "/find": "Find" };

function App() {
  const [, setAddress] = useState("");
  useEffect(() => addEventListener("popstate", () => setAddress(location.href)), []);
  const { pathname, search } = location;
  const { data, trouble, failure } = useData("overview", {}, pathname);
  // Other pages have no boxes, but may have come after one.
  const unsaved = useSending(data);
  const [lives, setLives] = useState<News>(null);
  useEffect(() => addEventListener("live", (event) => setLives((event as CustomEvent<News>).detail)), []);
  useEffect(() => setLives(null), [data]);
  const { targets: asked = [], folder, allowChanges = false } = data ?? {};
  const targets = asked.map((one) => (one.isAtWork ? { ...one, live: lives?.[one.name] ?? one.live } : one));
  // A link that was pressed before any target was known names none.
  const name = param("target") || (targets[0]?.name ?? "");
  const target = targets.find((one) => one.name === name);
  const zone = setZone(target?.zone);
  document.title = target === undefined ? "Rowferry" : `${target.answer} · ${name} · Rowferry`;
  const hadLedger = useRef(false);
  hadLedger.current ||= targets.length > 0;
  const isGone = target === undefined && hadLedger.current;
  useEffect(() => {
    // One that comes back within the second brings no news.
    const timer = isGone && setInterval(() => dispatchEvent(new Event("changed")), AGAIN_MS);
    return () => void (timer && clearInterval(timer));
  }, [isGone]);
  const Found = target === undefined ? FirstImport : (screens[pathname] ?? Overview);
  const Screen = isGone ? Gone : Found;
  const areFew = pathname !== "/" && targets.length > 1 && targets.length <= FEW;
  const away = failure?.isAway === true ? failure : null;
  return (
    <HereIs value={{ name, target: target as Target, targets, allowChanges, away }}>
      <a class="skip" href="#main">
        To the content
      </a>
      <header>
        <strong>Rowferry</strong>
        <nav aria-label="Screens">
          {Object.entries(menu).map(([path, label]) => (
            <Link key={path} to={path} isCurrent={path === pathname}>
              {label}
            </Link>
          ))}
        </nav>
        {areFew && (
          <nav aria-label="Targets">
            {targets.map((one) => (
              <Link
                key={one.name}
                to={pathname in menu ? pathname : "/"}
                query={{ target: one.name }}
                isCurrent={one === target}
              >
                {one.name}
              </Link>
            ))}
          </nav>
        )}
        <span class="quiet folder">
          {pathname !== "/" && !areFew && name !== "" && `${name} · `}
          {folder}
          {target !== undefined && ` · times in ${zone}`}
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        <div class="top">{trouble}</div>
        {unsaved.trouble}
        {data !== null && !allowChanges && (
          <Note text="This console is read-only. To correct and decide, start it at a terminal, or with `--allow-changes`." />
        )}
        {data !== null && <Screen key={pathname === "/find" ? pathname : search} />}
      </main>
    </HereIs>
  );
}

const FirstImport = () => (
  <>
    <Note
      title="Welcome"
      text="Nothing has been imported in this folder yet. Import a file first: `rowferry import mapping.yaml data.csv`"
    />
    <Start />
  </>
);

const Gone = () => (
  <Note
    title="No such ledger"
    text="This folder has no ledger of that name, or no longer has one. Restore it, for example with `rowferry ledger restore`, or import a file; the page then shows it."
  />
);

/** Files and their names may hold direction marks, line ends, and texts longer than any screen. */
const harmless = (drawn: unknown): unknown => {
  if (Array.isArray(drawn)) return drawn.map(harmless);
  return typeof drawn === "string" ? plainText(drawn, LONGEST) : drawn;
};
options.vnode = ({ type, props }) => {
  const { children } = props as { children?: unknown };
  if (children !== undefined && (typeof type === "string" || type === Fragment))
    Object.assign(props, { children: harmless(children) });
};

takeToken();
// The address of a new console on the same port, pasted into this tab, loads nothing by itself.
addEventListener("hashchange", () => takeToken() && location.reload());
// A text is saved when its field is left, which closing the page does not do by itself.
addEventListener("pagehide", () => (document.activeElement as HTMLElement | null)?.blur());
void listen();
render(<App />, document.body);
