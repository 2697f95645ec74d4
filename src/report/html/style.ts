/** The report's style sheet: light and dark, small and large screens, paper. No external resources. */
import { Markup } from "./markup.js";

export const style = new Markup(`
:root{color-scheme:light dark;--paper:#fff;--card:#f6f7f8;--line:#d9dde1;--ink:#1d2429;--soft:#5a6670;--accent:#0b6b74;--good:#1b7040;--waiting:#8a5a00;--bad:#a8261d}
@media (prefers-color-scheme:dark){:root{--paper:#14181b;--card:#1d2327;--line:#39424a;--ink:#e7ebee;--soft:#a3afb8;--accent:#5cc4cf;--good:#7fd3a1;--waiting:#f0c168;--bad:#ff9c92}}
@media print{:root{--paper:#fff;--card:#fff;--ink:#000;--soft:#444}nav{display:none}li,tr{break-inside:avoid}details::details-content{content-visibility:visible;display:block}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 1rem;padding-left:.8rem;border-left:5px solid}
h2{font-size:1.15rem;margin:0 0 .5rem}
h3{font-size:1rem;margin:0}
p{margin:.25rem 0}
a{color:var(--accent)}
code,pre{font:.875em/1.45 ui-monospace,monospace}
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem;margin:.4rem 0;white-space:pre-wrap}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.good{color:var(--good);fill:var(--good)}
.waiting{color:var(--waiting);fill:var(--waiting)}
.bad{color:var(--bad);fill:var(--bad)}
.plain{fill:var(--line)}
.brand,.soft,dt,.times,figcaption,footer,thead th{color:var(--soft);font-size:.9rem}
nav,dl{display:flex;flex-wrap:wrap;gap:.3rem 1.6rem;margin:1.2rem 0 0}
dd{margin:0}
figure{margin:1rem 0}
svg{display:block;width:100%}
.rows{height:1.2rem;border-radius:4px}
.pace{height:12rem;border:solid var(--line);border-width:0 0 1px 1px;overflow:visible}
.sent{fill:var(--accent);fill-opacity:.45}
.refused{fill:var(--bad)}
line{stroke:var(--accent);stroke-width:2;stroke-dasharray:6 4;vector-effect:non-scaling-stroke}
.times{display:flex;justify-content:space-between;gap:1rem}
section{margin-top:2rem;padding-top:1.2rem;border-top:1px solid var(--line)}
.count,.state{padding:0 .5em;border:1px solid;border-radius:1em;font-size:.85em;white-space:nowrap}
.pair{display:inline-block;margin-right:.9rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);font-weight:400}
tbody th{min-width:8rem}
.numbers td,.numbers thead th:not(:first-child){text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.hint{padding-left:.75rem;border-left:3px solid var(--line)}
.group,section>ul>li{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem 1rem;margin:.6rem 0}
summary{cursor:pointer}
section ul{list-style:none;margin:.4rem 0;padding:0}
.group li{padding:.45rem 0;border-top:1px solid var(--line)}
`);
