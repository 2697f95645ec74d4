import * as fc from "fast-check";
import { htmlReport } from "../../src/report/html/html-report.js";
import { html } from "../../src/report/html/markup.js";
import { inZone } from "../../src/settings/environment.js";
import { reportData, withText } from "../support/report.html-data.js";
import { summary } from "../support/summary.sample.js";
import { anyText } from "../support/sample.js";

describe("the HTML report", () => {
  it("needs no network and no script", () => {
    const page = htmlReport(reportData());
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'`);
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|base)\b/i);
    expect(page).not.toMatch(/\b(src|href)="(?!#)/i);
    expect(page).not.toMatch(/url\(|@import/i);
    expect(page).not.toMatch(/\son[a-z]+=/i);
  });

  it.each([12, 58_871])("charts sum to the numbers beside them: %i requests, %i rows (F18)", (many) => {
    const most = 20 * Math.ceil(many / 20 / 240);
    const sent = Array.from({ length: Math.ceil(many / most) }, (_, index) => Math.min(most, many - index * most));
    const pace = { startedAt: 0, spanMs: 50 * most, sent, rateLimited: sent.map(() => 0) };
    const rows = { read: many, skipped: 1, invalid: 2, known: 3, staged: many - 6 };
    const outcomes = {
      landed: many - 8,
      later: 1,
      waiting: 1,
      toSettle: 0,
      toCorrect: 1,
      toDecide: 1,
      toSend: 0,
      eventless: 0,
      dismissed: 0,
      superseded: 0,
    };
    const requests = { ...summary().requests, sent: many };
    const page = htmlReport({ ...reportData({ pace }), summary: summary({ rows, outcomes, requests }) });
    const path = /class="sent" d="([^"]+)"/.exec(page)?.[1] ?? "";
    const heights = [...path.matchAll(/V([\d.]+)h/g)].map(([, top]) => 200 - Number(top));
    const [, columns = "", span = "", highest = ""] =
      /(\d+) columns of (\d+) seconds; highest ([\d.]+)/.exec(page)?.map(String) ?? [];
    expect(heights).toHaveLength(Number(columns));
    expect(heights.length).toBeLessThanOrEqual(240);
    const perHeight = (Math.max(20, Number(highest)) * Number(span)) / 200;
    expect(heights.reduce((sum, height) => sum + height * perHeight, 0) / many).toBeCloseTo(1, 2);
    const pieces = [...page.matchAll(/<rect class="\w+" x="(\d+)" width="(\d+)"/g)].map(([, x, width]) =>
      [x, width].map(Number),
    );
    expect(pieces.reduce((sum, [, width = 0]) => sum + width, 0)).toBe(many);
    expect(
      pieces.every(([x], index) => index === 0 || x === (pieces[index - 1] ?? []).reduce((sum, part) => sum + part, 0)),
    ).toBe(true);
    const words = [...page.matchAll(/class="part \w+">([\d,]+) /g)].map(([, count = ""]) =>
      Number(count.replaceAll(",", "")),
    );
    expect(words.reduce((sum, count) => sum + count, 0)).toBe(many);
  });

  it("a cause has the number of all its problems or events, not of its examples; commands are those of this ledger", () => {
    const page = htmlReport(reportData());
    for (const id of ["problems", "held"]) {
      const [, sum = "", groups = ""] =
        new RegExp(`<h2 id="${id}-title">.*?>([\\d,]+)<([^]*?)</section>`).exec(page) ?? [];
      const counts = [...groups.matchAll(/<summary><span class="count">([\d,]+)</g)].map(([, count]) => Number(count));
      expect(counts.reduce((all, count) => all + count, 0)).toBe(Number(sum));
    }
    expect(page).toContain("resolve manifest/MTR-410077 --document-id &lt;id&gt; --target production");
    const named = [...page.matchAll(/<code>rowferry ([a-z][^<]*)<\/code>/g)].map(([, command]) => command);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((command) => command?.includes(" --target production") !== true)).toEqual([]);
    expect(page).not.toContain("`");
    const marked = reportData({ problems: [{ code: "value-not-allowed", total: 1, items: [] }] });
    expect(htmlReport(marked)).not.toContain("`");
  });

  it("times are in the mapping's zone, which is named", () => {
    const over = inZone("Asia/Tokyo");
    onTestFinished(over);
    const page = htmlReport({ ...reportData(), summary: summary({ startedAt: "2026-11-20T02:00:00.000Z" }) });
    expect(page).toContain('<time datetime="2026-11-20T02:00:00.000Z">2026-11-20 11:00:00</time>');
    expect(page).toContain("<dt>Times in</dt><dd>Asia/Tokyo</dd>");
  });

  const hostile = `<script>owned=1</script><img src=x onerror=owned=1>"' onload="owned=1" &amp; \u202Egnp \u001b[2J`;

  it("text from cells and from the service is never HTML (HARD-CASES H35)", () => {
    const data = withText(reportData(), hostile);
    const codes = reportData();
    const page = htmlReport({
      ...data,
      summary: { ...data.summary, exitCode: 3 },
      // Codes are ours, a closed list.
      problems: data.problems.map((group, index) => ({ ...group, code: codes.problems[index]?.code ?? group.code })),
      warnings: data.warnings.map((group, index) => ({ ...group, code: codes.warnings[index]?.code ?? group.code })),
      held: data.held.map((group, index) => ({ ...group, code: codes.held[index]?.code ?? group.code })),
    });
    expect(page).toContain("&lt;script&gt;owned=1&lt;/script&gt;");
    expect(page).not.toMatch(/<(script|img)/i);
    // oxlint-disable-next-line no-control-regex -- this is what is looked for
    expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it("no text gets out of its element or attribute", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(html`${text}`.text).not.toMatch(/[<>"']/);
      }),
    );
  });
});
