/** Memory for bodies being received, in bytes. */
interface Budget {
  totalBytes: number
  /** The bytes that each address may always take. It may take more as long as it leaves the same amount free. */
  addressBytes: number
}

/** The share of one body in the budget. */
export interface BodyShare {
  /** Reserves bytes; returns false, and reserves nothing, when too few are left. */
  take(bytes: number): boolean
  /** Releases everything reserved. */
  release(): void
}

const bodyBudget: Budget = { totalBytes: 64 * 1024 * 1024, addressBytes: 16 * 1024 * 1024 }

/**
 * Limits the memory of the bodies that a process is receiving. A body that arrives in one piece reserves nothing, so the
 * address of its sender is not needed.
 */
export function createBodyBudget({
  totalBytes,
  addressBytes,
}: Budget = bodyBudget): (addressOf: () => string) => BodyShare {
  const byAddress = new Map<string, number>()
  let total = 0
  return (addressOf) => {
    let address = ''
    let taken = 0
    return {
      take(bytes) {
        if (taken === 0) address = addressOf()
        const ofAddress = (byAddress.get(address) ?? 0) + bytes
        const free = totalBytes - total - bytes
        if (free < 0 || ofAddress > Math.max(addressBytes, free)) return false
        total += bytes
        taken += bytes
        byAddress.set(address, ofAddress)
        return true
      },
      release() {
        if (taken === 0) return
        const left = (byAddress.get(address) ?? 0) - taken
        total -= taken
        taken = 0
        if (left > 0) byAddress.set(address, left)
        else byAddress.delete(address)
      },
    }
  }
}
