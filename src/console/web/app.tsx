import "./style.css";
import { Fragment, options, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { plainText } from "../../report/plain-text.js";
import type { Overview, TargetOverview } from "../api.js";
import { Correct } from "./correct.js";
import { Decide } from "./decide.js";
import { Find } from "./find.js";
import { Files, Run, Runs, Start } from "./history.js";
import { onChange, takeToken } from "./http.js";
import { Targets } from "./overview.js";
import { Empty, Link, Ticks, Trouble, useData } from "./page.js";
import { setZone } from "./words.js";

interface Place {
  path: string;
  query: URLSearchParams;
}

const LONGEST = 1000;

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

function App() {
  const [place, setPlace] = useState(here());
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const move = () => setPlace(here());
    addEventListener("popstate", move);
    const stop = onChange(() => setTick((n) => n + 1));
    return () => {
      removeEventListener("popstate", move);
      stop();
    };
  }, []);
  return (
    <Ticks.Provider value={tick}>
      <Shell place={place} />
    </Ticks.Provider>
  );
}

function Shell({ place }: { place: Place }) {
  const { data, failure } = useData("overview", {});
  const name = place.query.get("target") ?? data?.targets[0]?.name ?? "";
  const target = data?.targets.find((one) => one.name === name) ?? null;
  setZone(target?.zone ?? null);
  const query = `?target=${encodeURIComponent(name)}`;
  const screens = [
    ["/", "Overview"],
    ["/runs", "Runs"],
    ["/files", "Files"],
    ["/find", "Find"],
  ] as const;
  useEffect(() => {
    document.title = target === null ? "Rowferry" : `${target.answer} · ${name} · Rowferry`;
  }, [target?.answer, name]);
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header>
        <strong class="brand">Rowferry</strong>
        <nav aria-label="Screens">
          {screens.map(([path, label]) => (
            <Link key={path} to={path + query} current={place.path === path}>
              {label}
            </Link>
          ))}
        </nav>
        <span class="quiet folder">
          {data?.folder}
          {target?.zone != null && ` · times in ${target.zone}`}
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        <Trouble failure={failure} />
        {data !== null && !data.allowChanges && (
          <p class="note">
            This console only shows. Start it at a terminal, or with --allow-changes, to correct and decide.
          </p>
        )}
        {data !== null && <Screen place={place} known={data} target={target} />}
      </main>
    </>
  );
}

function Screen({ place, known, target }: { place: Place; known: Overview; target: TargetOverview | null }) {
  if (target === null)
    return known.targets.length === 0 ? (
      <>
        <Empty>
          Nothing was imported in this folder yet. Import a file first:{" "}
          <code>rowferry import mapping.yaml data.csv</code>
        </Empty>
        {known.allowChanges && <Start target="" />}
      </>
    ) : (
      <Empty>
        This folder has no ledger of that name (any more). Put it back, for instance with{" "}
        <code>rowferry ledger restore</code>, or import a file; this page shows it by itself.
      </Empty>
    );
  const changes = known.allowChanges;
  const code = place.query.get("code") ?? "";
  switch (place.path) {
    case "/":
      return <Targets targets={known.targets} allowChanges={changes} />;
    case "/correct":
      return (
        <Correct
          key={location.search}
          target={target}
          code={code}
          column={place.query.get("column")}
          mistake={place.query.get("mistake")}
          allowChanges={changes}
        />
      );
    case "/decide":
      return <Decide key={location.search} target={target} code={code} allowChanges={changes} />;
    case "/find":
      return <Find target={target} what={place.query.get("what") ?? ""} allowChanges={changes} />;
    case "/runs":
      return <Runs target={target} allowChanges={changes} />;
    case "/files":
      return <Files target={target} allowChanges={changes} />;
    case "/run":
      return <Run target={target} run={place.query.get("run") ?? ""} allowChanges={changes} />;
    default:
      return <Empty>There is no such page.</Empty>;
  }
}

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
const root = document.getElementById("app");
if (root !== null) {
  root.textContent = "";
  render(<App />, root);
}
