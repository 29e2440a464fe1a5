import type { Logger } from '../logger.ts'
import { withoutLogFields } from '../telemetry/log-fields.ts'

/** Readers that stop at the same time are disconnected within this time. */
const collectMs = 10_000

interface Stalled {
  route: string
  tenant_id: string | undefined
}

/** Warns once of all readers that were disconnected within some seconds: one tenant can have many. */
export class StalledReaders {
  readonly #log: Logger
  readonly #collectMs: number
  #collected: Stalled[] = []

  constructor(log: Logger, { forMs = collectMs }: { forMs?: number } = {}) {
    this.#log = log
    this.#collectMs = forMs
  }

  /** Counts a reader that took nothing of its response for too long. */
  add(stalled: Stalled): void {
    this.#collected.push(stalled)
    if (this.#collected.length > 1) return
    withoutLogFields(() => setTimeout(() => this.#warn(), this.#collectMs).unref())
  }

  #warn(): void {
    const all = this.#collected.splice(0)
    const each = <T>(of: (stalled: Stalled) => T) => [...new Set(all.map(of))]
    this.#log.warn(
      { readers: all.length, routes: each(({ route }) => route), tenant_ids: each(({ tenant_id }) => tenant_id) },
      'readers that took nothing of their responses were disconnected',
    )
  }
}
