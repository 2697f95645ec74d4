import { problemsOf, load, mapRows, mappingWith, recordsOf, refusal } from "../support/map.support.js";

const DAY = { Doc: "1", Day: "01/02/2026" };

describe("a number that the mapping itself writes", () => {
  it.each(["007", "1.10", "1e3", "+5", "0x1F", ".inf"])(
    "%s is refused unless it is in quotes: YAML would change it in silence (F77)",
    async (literal) => {
      const at = (text: string) => mappingWith({ attributes: `A: ${text}` });
      const mapping = await load(at(`"${literal}"`));
      expect(recordsOf(mapRows(mapping, [DAY])).events[0]?.attributes[0]?.value).toBe(literal);
      if (literal === "1_000.0e1") return;
      expect((await refusal(at(literal))).hint ?? "").toContain("in quotes");
    },
  );

  it.each(["0", "7", "-12.5", "12345678901234567890", "0.1234567890123456789", "9".repeat(60)])(
    "%s is sent as it stands",
    async (literal) => {
      const mapping = await load(mappingWith({ attributes: `A: ${literal}` }));
      expect(recordsOf(mapRows(mapping, [DAY])).events[0]?.attributes[0]?.value).toBe(literal);
    },
  );

  it("of more than sixty digits is refused", async () => {
    const yaml = mappingWith({ attributes: `A: ${"9".repeat(61)}` });
    expect((await refusal(yaml)).message).toContain("60 digits");
  });
});

describe("coordinates", () => {
  const home = "city: Santos, countryState: SP";
  const place = async (latitude: string, longitude: string) => {
    const columns = "lat: { header: Lat, as: number }\nlong: { header: Long, as: number }";
    const yaml = mappingWith({ columns }).replace(home, `${home}, latitude: ${latitude}, longitude: ${longitude}`);
    const mapping = await load(yaml);
    return (Lat: string, Long: string) => mapRows(mapping, [{ ...DAY, Lat, Long }])[0];
  };

  it("are degrees: at most 90 and 180, either way, and never without their mark (F75)", async () => {
    const read = await place("=lat", "=long");
    expect(read("-23,5505", "180")).toMatchObject({
      outcome: { fate: "valid", records: { addresses: [{ extended: { latitude: -23.5505, longitude: 180 } }] } },
    });
    for (const [lat, long] of [
      ["-23.550", "1"],
      ["-23550", "1"],
      ["90,0001", "1"],
      ["1", "-180,5"],
      ["1", "46.633"],
    ])
      expect(read(lat ?? "", long ?? "")).toMatchObject({ outcome: { fate: "invalid" } });
    // Messages hide what is in quotes, where values of cells must not be shown.
    expect(problemsOf(read("90,0001", "1"))[0]?.message).toContain('"90.0001" is not between');
  });

  it("of the mapping itself are bounded too", async () => {
    await expect(place("-23.5505", "-46.6333")).resolves.toBeDefined();
    await expect(place("-2355", "1")).rejects.toMatchObject({ message: expect.stringContaining("between -90 and 90") });
  });
});
