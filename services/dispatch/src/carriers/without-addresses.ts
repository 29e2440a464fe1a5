const longest = 500

/**
 * A carrier's sentence without the addresses in it: many name the recipient ("<ada@example.com>: user unknown"), and ours are
 * stored and published. One line, at most 500 characters.
 */
export function withoutAddresses(sentence: string): string {
  return sentence
    .slice(0, longest)
    .replace(/\s+/g, ' ')
    .replace(/[^\s<>()"'=:;,]+@[^\s<>()"':;,]*/g, '[address]')
}
