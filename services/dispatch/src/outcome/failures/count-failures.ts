import type { Channel, Id, KeyMode } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { type Kit, withoutLogFields } from '@notify/service-kit'
import { type NewFailure, saveFailures } from './failure-store.ts'

const collectMs = 1000
/** Carriers choose their codes. Further ones within a second are counted as `other`. */
const mostCodes = 100
const longestCode = 64
const longestReason = 300

interface Failure {
  mode?: KeyMode
  channel: Channel
  providerId: Id<'prov'>
  code: string | null
  reason: string | null | undefined
}

/** Counts what a carrier refused or lost. No message waits for it; a process that dies loses the counts of a second. */
export type CountFailure = (failure: Failure) => void

/** A context with it. */
export interface WithFailureCount {
  countFailure: CountFailure
}

/** Counts are written once a second in one statement, and nothing is written while nothing fails. */
export function createFailureCount({ lifecycle, log }: Kit, db: Queries): CountFailure {
  let counts = new Map<string, NewFailure>()
  let timer: NodeJS.Timeout | undefined
  const write = async () => {
    const counted = [...counts.values()]
    counts = new Map()
    if (counted.length === 0) return
    await saveFailures(db.run, counted).catch((err) => log.warn({ err }, 'failures were not counted'))
  }
  const begin = () => {
    timer ??= withoutLogFields(() =>
      setTimeout(() => {
        timer = undefined
        void write()
      }, collectMs).unref(),
    )
  }
  const codesOf = (id: string) => [...counts.values()].filter(({ provider_id }) => provider_id === id).length
  lifecycle.onStop('count of failures', () => {
    clearTimeout(timer)
    return write()
  })
  return ({ mode, channel, providerId, code, reason }) => {
    // Test messages go to the sandbox.
    if (mode === 'test') return
    const hour = `${new Date().toISOString().slice(0, 13)}:00:00.000Z`
    const given = (code ?? 'none').slice(0, longestCode)
    const keyOf = (one: string) => `${providerId} ${channel} ${hour} ${one}`
    const isKnown = counts.has(keyOf(given))
    const named = isKnown || codesOf(providerId) < mostCodes ? given : 'other'
    const known = counts.get(keyOf(named))
    const text = reason?.slice(0, longestReason) ?? known?.reason ?? null
    const failures = (known?.failures ?? 0) + 1
    counts.set(keyOf(named), { provider_id: providerId, channel, hour, code: named, failures, reason: text })
    begin()
  }
}
