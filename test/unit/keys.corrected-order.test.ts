/** A corrected row stands among those of its instant where it stood in its file: days without times are one instant. */
import { openOffice } from "../support/office.js";
import { loadsWith, weighingsWith, weights } from "../support/weighings.js";

const items = weighingsWith({ columns: { item: "Item" }, event: { key: "=item" } });
const rows = (second: string) => loadsWith(["Item"], "L1 10 1 a", `L1 10 ${second} b`, "L1 10 3 c");

describe("a corrected row lands before the later rows of its instant:", () => {
  async function opened() {
    const office = openOffice(items);
    const summary = await office.brought("day.csv", rows("x"));
    expect(weights(office)).toEqual([]);
    return { office, summary };
  }
  const inOrder = ["L1 10 1", "L1 10 2", "L1 10 3"];

  it("in a rejected file", async () => {
    const { office, summary } = await opened();
    await office.brought("mended.csv", office.rejectedRows(summary, { x: "2" }));
    expect(weights(office)).toEqual(inOrder);
    await office.ends(0, "ledger check");
  });

  it("in its source, mended", async () => {
    const { office } = await opened();
    await office.brought("day.csv", rows("2"));
    expect(weights(office)).toEqual(inOrder);
  });

  it("after a correction that was wrong again", long, async () => {
    const { office, summary } = await opened();
    const again = await office.brought("mended.csv", office.rejectedRows(summary, { x: "y" }));
    await office.brought("again.csv", office.rejectedRows(again, { y: "2" }));
    expect(weights(office)).toEqual(inOrder);
  });

  it("where its key was wrong, too", long, async () => {
    const office = openOffice(items);
    const blank = loadsWith(["Item"], "L1 10 1 a", "L1 10 2", "L1 10 3 c");
    const summary = await office.brought("day.csv", blank);
    const mended = office
      .rejectedRows(summary)
      .map((row) => row.map((cell, at) => (at === 3 && cell === "" ? "b" : cell)));
    await office.brought("mended.csv", mended);
    expect(weights(office)).toEqual(inOrder);
  });
});
