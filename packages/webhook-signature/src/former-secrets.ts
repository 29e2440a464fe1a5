/** A secret that was rotated out. */
export interface FormerSecret {
  secret: string
  /** Until when it signs beside its successors, ISO 8601. */
  until: string
}

/** How providers hold the secrets that were rotated out: the latest, and the one before it. */
export interface FormerFields {
  previous_secret?: string | undefined
  previous_until?: string | undefined
  older_secret?: string | undefined
  older_until?: string | undefined
}

/** Secrets that sign beside the newest one. */
const mostFormer = 2

/** The secrets that were rotated out, the latest first. */
export function formerSecretsOf(fields: FormerFields): FormerSecret[] {
  const { previous_secret, previous_until, older_secret, older_until } = fields
  const entry = (secret?: string, until?: string) => (secret && until ? [{ secret, until }] : [])
  return [...entry(previous_secret, previous_until), ...entry(older_secret, older_until)]
}

/**
 * The fields for the former secrets that still sign beside a current one: those that are valid longest, each once.
 * @param former of equal secrets the first one counts
 */
export function formerFieldsOf(current: string, former: readonly FormerSecret[], nowMs = Date.now()): FormerFields {
  const known = new Map([...former].reverse().map((one) => [one.secret, one]))
  const [previous, older] = [...known.values()]
    .filter(({ secret, until }) => secret !== current && Date.parse(until) > nowMs)
    .toSorted((a, b) => Date.parse(b.until) - Date.parse(a.until))
    .slice(0, mostFormer)
  return {
    ...(previous && { previous_secret: previous.secret, previous_until: previous.until }),
    ...(older && { older_secret: older.secret, older_until: older.until }),
  }
}
