/** Memory for bodies while they are received, in bytes. */
interface Budget {
  totalBytes: number
  /** What one address may take of it. */
  addressBytes: number
}

/** What one body takes of the budget while it is received. */
export interface BodyShare {
  /** Takes further bytes; false when there are none left, and then nothing is taken. */
  take(bytes: number): boolean
  /** Gives back all that was taken. */
  release(): void
}

const bodyBudget: Budget = { totalBytes: 64 * 1024 * 1024, addressBytes: 16 * 1024 * 1024 }

/**
 * Bounds the memory of the bodies that a process receives at a time, whoever sends them and however slowly. A body that comes
 * whole takes nothing, and its sender's address is not asked for.
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
        if (total + bytes > totalBytes || ofAddress > addressBytes) return false
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
