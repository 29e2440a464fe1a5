import type { ConsentStatus, OptInSource } from '@notify/contracts'

/** The current consent of a number. */
export interface Consent {
  status: ConsentStatus
  marketingStopped: boolean
  /** When the newest marketing choice was made. */
  marketingChosenAt: Date | null
  /** When the newest opt-in was recorded that a revocation would not have refused. */
  agreedAt: Date | null
}

/** A change of the consent, and when it was decided. */
export type Change = { at: Date } & (
  | { action: 'opt_in'; source: OptInSource; evidence: 'none' | 'fresh' | 'given before' }
  | { action: 'opt_out' | 'marketing_stop' | 'marketing_resume' }
)

/** Carriers report whole seconds by clocks of their own: within this time of an opt-in a STOP counts as the newer one. */
export const clockToleranceMs = 60_000

/**
 * The consent of a number after a change. Only an opt-in with evidence not given for the number before, and not by an
 * import, restores a revoked consent or outlasts an older STOP that arrives late.
 * @returns undefined when the change is refused
 */
export function nextConsent(now: Consent, change: Change): Consent | undefined {
  const { at, action } = change
  switch (action) {
    case 'opt_in': {
      const isFresh = change.evidence === 'fresh' && change.source !== 'import'
      if (now.status === 'revoked' && !isFresh) return undefined
      return { ...now, status: 'active', agreedAt: isFresh ? at : now.agreedAt }
    }
    case 'opt_out': {
      const isLate = now.agreedAt !== null && at.getTime() + clockToleranceMs < now.agreedAt.getTime()
      return isLate ? now : { ...now, status: 'revoked' }
    }
    case 'marketing_stop':
    case 'marketing_resume': {
      if (now.marketingChosenAt !== null && at < now.marketingChosenAt) return now
      return { ...now, marketingStopped: action === 'marketing_stop', marketingChosenAt: at }
    }
  }
}
