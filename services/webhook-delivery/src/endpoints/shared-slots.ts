/**
 * Slots that tenants share. A tenant may hold as many as stay free for others: alone it gets half of all, and a further
 * tenant finds free ones at once, however many the first one wants.
 */
export class SharedSlots {
  /** Negative while more are held than there are: a claim holds its slots only when it has ended. */
  #free: number
  readonly #held = new Map<string, number>()

  constructor(count: number) {
    this.#free = count
  }

  /** Slots that no tenant holds. */
  get free(): number {
    return Math.max(0, this.#free)
  }

  /** How many more slots the tenant may take now. */
  roomOf(tenantId: string): number {
    return Math.max(0, Math.ceil((this.#free - this.#heldBy(tenantId)) / 2))
  }

  /** The room of every tenant that holds slots, and that of any other. */
  rooms(): { known: Record<string, number>; other: number } {
    const known = Object.fromEntries([...this.#held.keys()].map((tenantId) => [tenantId, this.roomOf(tenantId)]))
    return { known, other: this.roomOf('') }
  }

  /** Takes as many of the wanted slots as the tenant has room for. @returns how many these are */
  take(tenantId: string, wanted: number): number {
    const taken = Math.min(wanted, this.roomOf(tenantId))
    this.hold(tenantId, taken)
    return taken
  }

  /** Takes slots that the tenant had room for when it was asked. */
  hold(tenantId: string, count: number): void {
    if (count === 0) return
    this.#free -= count
    this.#held.set(tenantId, this.#heldBy(tenantId) + count)
  }

  release(tenantId: string, count: number): void {
    if (count === 0) return
    this.#free += count
    const left = this.#heldBy(tenantId) - count
    if (left > 0) this.#held.set(tenantId, left)
    else this.#held.delete(tenantId)
  }

  #heldBy(tenantId: string): number {
    return this.#held.get(tenantId) ?? 0
  }
}
