const longest = 500
/** More is not looked at: what comes from carriers may be as long as a request. */
const mostRead = 2 * longest
const mostRecipients = 50
const word = /[^\s<>()[\]",:;]+/gu
const mailboxCharacter = /[\w+-]/
const asciiUpperCase = /[A-Z]/g

/**
 * A carrier's sentence without email addresses, which may be stored and published: one line of at most 500 characters that
 * Postgres can hold. Many carriers name the recipient ("<ada@example.com>: user unknown"), some the mailbox alone
 * ("<ada>: user unknown"). Takes time in proportion to the first 1,000 characters, whatever they are.
 * @param recipients addresses whose mailbox is masked where it stands alone; the first 50 count
 */
export function withoutAddresses(sentence: string, recipients: readonly string[]): string {
  const read = cut(sentence)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
  const masked = read.replace(word, (found) => (found.includes('@') ? '[address]' : found))
  return recipients
    .slice(0, mostRecipients)
    .map((address) => address.slice(0, address.lastIndexOf('@')))
    .reduce(withoutMailbox, masked)
    .slice(0, longest)
    .toWellFormed()
    .trim()
}

/** The beginning, without the word that the cut would leave a part of: it could be half an address. */
function cut(sentence: string): string {
  if (sentence.length <= mostRead) return sentence
  const beginning = sentence.slice(0, mostRead)
  return beginning.slice(0, Math.max(beginning.lastIndexOf(' '), beginning.lastIndexOf('\n'), 0))
}

function withoutMailbox(text: string, mailbox: string): string {
  if (mailbox === '') return text
  const [searched, wanted] = [lowerAscii(text), lowerAscii(mailbox)]
  let kept = ''
  let keptUntil = 0
  for (let at = searched.indexOf(wanted); at !== -1; at = searched.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    const isPart =
      at < keptUntil || /[\w.+-]/.test(searched.charAt(at - 1)) || mailboxCharacter.test(searched.charAt(end))
    if (isPart) continue
    kept += `${text.slice(keptUntil, at)}[address]`
    keptUntil = end
  }
  return kept + text.slice(keptUntil)
}

/** Mailboxes are ASCII; other letters may change their length with their case. */
function lowerAscii(text: string): string {
  return text.replace(asciiUpperCase, (letter) => letter.toLowerCase())
}
