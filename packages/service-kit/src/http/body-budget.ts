/** The share of one body in the budget. */
export interface BodyShare {
  /** Reserves bytes; returns false, and reserves nothing, when too few are left. */
  take(bytes: number): boolean
  /** Releases everything reserved. */
  release(): void
}

const defaultBytes = 64 * 1024 * 1024

/**
 * Limits the memory of the bodies that a process is receiving. A tenant never takes more than it leaves free, so there
 * is always some for a tenant without bodies. Callers without a verified tenant have half of the memory together, of
 * which an address never takes more than it leaves to other addresses. A body that arrives in one piece reserves
 * nothing, so the address of its sender is not needed.
 * @param totalBytes default: 64 MiB
 */
export function createBodyBudget(
  totalBytes = defaultBytes,
): (tenantId: string | undefined, addressOf: () => string) => BodyShare {
  const byOwner = new Map<string, number>()
  let total = 0
  let ofAddresses = 0
  return (tenantId, addressOf) => {
    let owner = ''
    let taken = 0
    return {
      take(bytes) {
        if (taken === 0) owner = tenantId === undefined ? `address ${addressOf()}` : `tenant ${tenantId}`
        const ofOwner = (byOwner.get(owner) ?? 0) + bytes
        const free = totalBytes - total - bytes
        const freeOfAddresses = totalBytes / 2 - ofAddresses - bytes
        if (ofOwner > (tenantId === undefined ? Math.min(free, freeOfAddresses) : free)) return false
        total += bytes
        taken += bytes
        if (tenantId === undefined) ofAddresses += bytes
        byOwner.set(owner, ofOwner)
        return true
      },
      release() {
        if (taken === 0) return
        const left = (byOwner.get(owner) ?? 0) - taken
        total -= taken
        if (tenantId === undefined) ofAddresses -= taken
        taken = 0
        if (left > 0) byOwner.set(owner, left)
        else byOwner.delete(owner)
      },
    }
  }
}
