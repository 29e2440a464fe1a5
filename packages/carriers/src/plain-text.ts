/**
 * What a carrier said as it can be kept: one line without what Postgres cannot hold (NUL, half a character), for one such word
 * would fail the statement that writes down a hundred answers together.
 */
export function plainText(said: string, longest: number): string {
  return said
    .slice(0, longest)
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
}
