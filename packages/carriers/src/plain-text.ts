/**
 * A carrier's text in a storable form: one line without NUL or lone surrogates, which would fail the batch statement
 * that stores a hundred results.
 */
export function plainText(text: string, longest: number): string {
  return text
    .slice(0, longest)
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
}
