/** `A` for 1, `Z` for 26, `AA` for 27: what a spreadsheet calls its columns. */
export function columnLetters(position: number): string {
  let letters = "";
  for (let rest = position; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}
