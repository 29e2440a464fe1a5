const longest = 500
/** Limit of the input, which may be as long as a request. */
const mostRead = 2 * longest
const mostRecipients = 50
const word = /[^\s<>()[\]",:;]+/gu
const mailboxCharacter = /[\w+-]/
const asciiUpperCase = /[A-Z]/g

/**
 * Removes email addresses from a carrier's text, so that it can be stored and published: one line of at most 500
 * storable characters. Many carriers quote the recipient ("<ada@example.com>: user unknown") or the mailbox ("<ada>:
 * user unknown"), with or without its tag. Reads at most 1,000 characters, in linear time.
 * @param recipients addresses whose mailbox is masked where it stands alone, or in another spelling before its domain
 * (`ada+40example.com`, `ada_AT_example.com`); the first 50 count
 */
export function withoutAddresses(sentence: string, recipients: readonly string[]): string {
  const read = cut(sentence)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
  const named = recipients.slice(0, mostRecipients)
  const domains = new Set(named.map((address) => lowerAscii(address.slice(address.lastIndexOf('@') + 1))))
  domains.delete('')
  const isAddress = (found: string) => found.includes('@') || endsMailbox(lowerAscii(found), domains)
  const masked = read.replace(word, (found) => (isAddress(found) ? '[address]' : found))
  return named
    .map((address) => address.slice(0, address.lastIndexOf('@')))
    .flatMap((mailbox) => (mailbox.includes('+') ? [mailbox, mailbox.slice(0, mailbox.indexOf('+'))] : [mailbox]))
    .reduce(withoutMailbox, masked)
    .slice(0, longest)
    .toWellFormed()
    .trim()
}

/** Truncates at a word boundary, because a partial word could be half an address. */
function cut(sentence: string): string {
  if (sentence.length <= mostRead) return sentence
  const beginning = sentence.slice(0, mostRead)
  return beginning.slice(0, Math.max(beginning.lastIndexOf(' '), beginning.lastIndexOf('\n'), 0))
}

/** Whether one of the domains stands in a word behind what may be a mailbox. Names of hosts and URLs are kept. */
function endsMailbox(found: string, domains: ReadonlySet<string>): boolean {
  const isMailbox = (before: string) => before !== '' && !before.endsWith('.') && !before.endsWith('/')
  return [...domains].some((domain) => found.split(domain).slice(0, -1).some(isMailbox))
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

/** Lower-cases only ASCII: other letters may change their length. */
function lowerAscii(text: string): string {
  return text.replace(asciiUpperCase, (letter) => letter.toLowerCase())
}
