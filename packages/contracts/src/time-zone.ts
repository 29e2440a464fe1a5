// Without zod, so that threads that render templates start fast.

/** The names of three letters in the IANA database. ICU knows others, which mean elsewhere: its BST is Asia/Dhaka. */
const threeLetters = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '))
const offsetOrLegacy = /^(?:[+-]|SystemV\/)/i
const longestName = 64

/** Names that proved valid: making a formatter for each request is slow. */
const knownZones = new Set<string>()
const mostKnown = 2000

/** Whether `Intl` takes a name: besides time zones of the IANA database, offsets and the names of ICU. */
export function isKnownZone(name: string): boolean {
  if (knownZones.has(name)) return true
  if (name.length > longestName) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    return false
  }
  if (knownZones.size < mostKnown) knownZones.add(name)
  return true
}

/** Whether a name is a time zone of the IANA database. */
export function isTimeZone(name: string): boolean {
  if (offsetOrLegacy.test(name) || (name.length === 3 && !threeLetters.has(name.toUpperCase()))) return false
  return isKnownZone(name)
}
