/** The report's style sheet: light and dark, phone to desktop, paper. No fonts, no pictures, nothing from elsewhere. */
import { raw } from "./markup.js";

export const style = raw(`
:root{color-scheme:light dark;--paper:#fff;--card:#f6f7f8;--line:#d9dde1;--ink:#1d2429;--soft:#5a6670;--accent:#0b6b74;--good:#1b7040;--good-bg:#e4f3ea;--waiting:#8a5a00;--waiting-bg:#fbf0d9;--bad:#a8261d;--bad-bg:#fbe7e5}
@media (prefers-color-scheme:dark){:root{--paper:#14181b;--card:#1d2327;--line:#39424a;--ink:#e7ebee;--soft:#a3afb8;--accent:#5cc4cf;--good:#7fd3a1;--good-bg:#16301f;--waiting:#f0c168;--waiting-bg:#352909;--bad:#ff9c92;--bad-bg:#3d1915}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.2;margin:.1rem 0 1rem}
h2{font-size:1.15rem;margin:0 0 .5rem}
h3{font-size:1rem;margin:0 0 .25rem;font-weight:600}
p{margin:.25rem 0}
a{color:var(--accent)}
code,pre{font:.875em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem;margin:.4rem 0;white-space:pre-wrap}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.brand{color:var(--accent);font-weight:600;letter-spacing:.02em}
.outcome{display:flex;gap:.9rem;align-items:center;border-radius:10px;padding:.9rem 1.1rem;font-size:1.05rem}
.outcome.good{background:var(--good-bg)}.outcome.waiting{background:var(--waiting-bg)}.outcome.bad{background:var(--bad-bg)}
.mark{flex:none;width:2.2rem;height:2.2rem;border-radius:50%;display:grid;place-items:center;font-weight:700;font-size:1.2rem;color:var(--paper)}
.good>.mark{background:var(--good)}.waiting>.mark{background:var(--waiting)}.bad>.mark{background:var(--bad)}
.exit{color:var(--soft);font-size:.9rem;margin-left:.35rem;white-space:nowrap}
.next{margin:1rem 0 0}.next ol{margin:0;padding-left:1.4rem}.next li{margin:.3rem 0}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 2rem;margin:1rem 0 0}
.facts dt{font-size:.8rem;color:var(--soft)}.facts dd{margin:0}
nav{margin:1.25rem 0 0;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem}
section{margin-top:2.25rem;padding-top:1.25rem;border-top:1px solid var(--line)}
.lead,.more,.place,.none{color:var(--soft)}.lead{max-width:46rem;margin-bottom:.75rem}.place{font-size:.9rem}
.hint{font-size:.95rem;padding-left:.75rem;border-left:3px solid var(--line)}
.count{display:inline-block;min-width:1.8em;text-align:center;padding:0 .5em;border-radius:1em;background:var(--card);border:1px solid var(--line);font-size:.85em;font-variant-numeric:tabular-nums}
.pair{display:inline-block;margin:.1rem .9rem .1rem 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem .45rem 0;border-bottom:1px solid var(--line);font-weight:400}
thead th{font-size:.85rem;color:var(--soft)}
.sum td,.sum thead th:not(:first-child){text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.sum tbody th{min-width:9rem}time,tbody th{white-space:nowrap}.sum tbody th{white-space:normal}
.state{display:inline-block;padding:0 .5em;border-radius:4px;font-size:.85em;background:var(--card);border:1px solid var(--line);white-space:nowrap}
.state.good{background:var(--good-bg);color:var(--good);border-color:transparent}.state.waiting{background:var(--waiting-bg);color:var(--waiting);border-color:transparent}.state.bad{background:var(--bad-bg);color:var(--bad);border-color:transparent}
.kind{color:var(--soft)}
.group{border:1px solid var(--line);border-radius:8px;padding:0 1rem;margin:.75rem 0}
.group>summary{cursor:pointer;padding:.7rem 0;line-height:1.45}.group[open]{padding-bottom:.75rem}
.meaning{color:var(--soft)}
.examples,.cards,.candidates{list-style:none;margin:.5rem 0 0;padding:0}
.examples>li{padding:.55rem 0;border-top:1px solid var(--line)}
.cards>li{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem;margin:.6rem 0}
.cards pre{background:var(--paper)}
.candidates{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.timeline{list-style:none;margin:.5rem 0 0 .4rem;padding:0;border-left:2px solid var(--line)}
.timeline>li{position:relative;padding:.25rem 0 .6rem 1.25rem}
.timeline>li::before{content:"";position:absolute;left:-7px;top:.65rem;width:8px;height:8px;border-radius:50%;background:var(--paper);border:2px solid var(--soft)}
.timeline>li.good::before{background:var(--good);border-color:var(--good)}.timeline>li.bad::before{background:var(--bad);border-color:var(--bad);border-radius:1px}.timeline>li.waiting::before{border-color:var(--waiting)}
.plot{margin:1rem 0 0}
.frame{display:grid;grid-template-columns:3rem 1fr;height:13rem}
.axis{position:relative;font-size:.8rem;color:var(--soft)}.axis span{position:absolute;right:.5rem;transform:translateY(-50%);font-variant-numeric:tabular-nums}
.axis .limit-label{color:var(--accent);font-weight:700;background:var(--paper)}
svg{width:100%;height:100%;border-left:1px solid var(--line);border-bottom:1px solid var(--line);overflow:visible}
svg .sent{fill:var(--accent);fill-opacity:.45}svg .refused{fill:var(--bad)}
svg .limit{stroke:var(--accent);stroke-width:2;stroke-dasharray:6 4;vector-effect:non-scaling-stroke}
.times{display:flex;justify-content:space-between;gap:1rem;margin-left:3rem;font-size:.8rem;color:var(--soft)}.times span:last-child{text-align:right}.times time{white-space:normal}.times span{max-width:45%}
figcaption{margin:.5rem 0 0 3rem;font-size:.85rem;color:var(--soft)}
.legend{white-space:nowrap;margin-right:.9em}.key{display:inline-block;width:.9em;height:.7em;margin:0 .35em 0 0;vertical-align:baseline}
.key.sent{background:var(--accent);opacity:.45}.key.refused{background:var(--bad)}.key.limit{height:0;border-top:2px dashed var(--accent);vertical-align:middle}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
@media (max-width:36rem){table,thead,tbody{display:block}tr{display:grid;grid-template-columns:1fr 1fr;border-bottom:1px solid var(--line);padding:.4rem 0}.sum tr{grid-template-columns:repeat(5,1fr)}th,td,.sum th,.sum td{border:0;padding:.1rem .3rem .1rem 0}tr>:first-child{grid-column:1/-1}thead tr>:first-child{display:none}.sum thead th{font-size:.72rem}main{padding:1rem .9rem 3rem}h1{font-size:1.3rem}.frame{grid-template-columns:2.2rem 1fr;height:10rem}.times,figcaption{margin-left:2.2rem}.group{padding:0 .75rem}.facts{gap:.5rem 1.25rem}}
@media print{:root{--paper:#fff;--card:#fff;--line:#bbb;--ink:#000;--soft:#444;--accent:#0b6b74;--good:#1b7040;--good-bg:#fff;--waiting:#8a5a00;--waiting-bg:#fff;--bad:#a8261d;--bad-bg:#fff}body{font-size:10.5pt}main{max-width:none;padding:0}nav{display:none}.outcome{border:1.5pt solid currentColor}.outcome.good{color:var(--good)}.outcome.waiting{color:var(--waiting)}.outcome.bad{color:var(--bad)}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}.group,.cards>li,.examples>li,.timeline>li,figure,tr{break-inside:avoid}.group{break-inside:auto}h2,h3,summary{break-after:avoid}details::details-content{content-visibility:visible;display:block}.scroll{overflow:visible}}
`);
