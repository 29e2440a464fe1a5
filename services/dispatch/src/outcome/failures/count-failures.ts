import type { Channel, Id, KeyMode } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { createDelayedWrite, type Kit } from '@notify/service-kit'
import { type NewFailure, saveFailures } from './failure-store.ts'

const collectMs = 1000
/** Carriers choose their codes. Further ones of a provider in an hour are counted as `other`. */
const mostCodes = 100
const longestCode = 64
const longestReason = 300

interface Failure {
  mode: KeyMode
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
export function createFailureCount(kit: Kit, db: Queries): CountFailure {
  let counts = new Map<string, NewFailure>()
  const nameOf = createCodeNames()
  const write = async () => {
    const counted = [...counts.values()]
    counts = new Map()
    if (counted.length === 0) return
    await saveFailures(db.run, counted).catch((err) => kit.log.warn({ err }, 'failures were not counted'))
  }
  const changed = createDelayedWrite(kit, { name: 'count of failures', delayMs: collectMs, write })
  return ({ mode, channel, providerId, code, reason }) => {
    const hour = `${new Date().toISOString().slice(0, 13)}:00:00.000Z`
    const named = nameOf(hour, providerId, (code ?? 'none').slice(0, longestCode).toWellFormed())
    const key = `${providerId} ${channel} ${mode} ${hour} ${named}`
    const known = counts.get(key)
    const text = reason?.slice(0, longestReason).toWellFormed() ?? known?.reason ?? null
    const failures = (known?.failures ?? 0) + 1
    counts.set(key, { provider_id: providerId, channel, mode, hour, code: named, failures, reason: text })
    changed()
  }
}

/** The code under which a failure is counted, so that a provider adds few rows in an hour, whatever its carrier answers. */
export function createCodeNames(): (hour: string, providerId: string, code: string) => string {
  let current = ''
  let seen = new Map<string, Set<string>>()
  return (hour, providerId, code) => {
    if (hour !== current) seen = new Map()
    current = hour
    const codes = seen.get(providerId) ?? new Set()
    if (!codes.has(code) && codes.size >= mostCodes) return 'other'
    seen.set(providerId, codes.add(code))
    return code
  }
}
