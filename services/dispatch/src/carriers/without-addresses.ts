const longest = 500

/**
 * A carrier's sentence without the addresses in it: many name the recipient ("<ada@example.com>: user unknown"), and ours are
 * stored and published. Some name the mailbox alone ("<ada>: user unknown"). One line, at most 500 characters.
 * @param recipient whose mailbox it may be
 */
export function withoutAddresses(sentence: string, recipient: string): string {
  const mailbox = recipient.slice(0, recipient.lastIndexOf('@')).replace(/[^\w]/g, '\\$&')
  return sentence
    .slice(0, longest)
    .replace(/\s+/g, ' ')
    .replace(/[^\s<>()"'=:;,]+@[^\s<>()"':;,]*/g, '[address]')
    .replace(new RegExp(`(?<![\\w.+-])${mailbox}(?![\\w+-])`, 'gi'), '[address]')
}
