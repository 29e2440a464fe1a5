import { environmentOf, receivers } from '@notify/carriers/receiving'
import type { Logger } from '@notify/service-kit'
import type { Config } from '../config.ts'

/** Starts the receiver of every kind. @returns their states by kind */
export function startReceivers(config: Config, log: Logger): (kind: string) => never {
  const states = new Map<string, unknown>()
  for (const [kind, receiver] of Object.entries(receivers)) {
    if (!receiver) continue
    const environment = environmentOf(config, receiver)
    states.set(kind, receiver.start({ publicUrl: config.PUBLIC_URL, environment, log }))
  }
  // Each state returns only to its own receiver's endpoints.
  return (kind) => states.get(kind) as never
}
