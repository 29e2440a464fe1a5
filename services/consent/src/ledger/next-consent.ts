import type { ConsentStatus, OptInSource } from '@notify/contracts'

/** The current consent of a number. */
export interface Consent {
  status: ConsentStatus
  marketingStopped: boolean
}

/** A change of the consent. */
export type Change =
  | { action: 'opt_in'; source: OptInSource; evidence: 'none' | 'fresh' | 'given before' }
  | { action: 'opt_out' | 'marketing_stop' | 'marketing_resume' }

/**
 * The consent of a number after a change. A revoked number opts in again only with evidence not given for the number
 * before, and not by an import.
 * @returns undefined when the change is refused
 */
export function nextConsent(now: Consent, change: Change): Consent | undefined {
  switch (change.action) {
    case 'opt_in': {
      const isFresh = change.evidence === 'fresh' && change.source !== 'import'
      return now.status === 'revoked' && !isFresh ? undefined : { ...now, status: 'active' }
    }
    case 'opt_out':
      return { ...now, status: 'revoked' }
    case 'marketing_stop':
      return { ...now, marketingStopped: true }
    case 'marketing_resume':
      return { ...now, marketingStopped: false }
  }
}
