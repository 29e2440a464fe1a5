import type { SendingCarriers } from '@notify/carriers/sending'
import { createTenantRoom, type Kit } from '@notify/service-kit'
import { sendingRoom } from '../channels/file-room.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { createFailureCount } from '../outcome/failures/count-failures.ts'
import { createSentAttempts } from '../outcome/receipts/sent-attempts.ts'
import { withCircuitBreakers } from './call/circuit-breaker.ts'
import { createCarriers } from './call/create-carriers.ts'
import { loadCarriers } from './call/load-carriers.ts'

type Shared = Context & { config: Config; carrierTable: SendingCarriers }

/** Opens the carriers. @returns the context, with the resources that sending needs */
export function openSending<C extends Shared>(kit: Kit, shared: C) {
  const { config, carrierTable, channels } = shared
  const carriers = withCircuitBreakers(createCarriers(config, carrierTable, channels))
  kit.lifecycle.onStop('carriers', () => carriers.close())
  loadCarriers(kit, shared.db, carrierTable)
  // Each process that calls carriers has its own circuit breakers.
  kit.metrics.gauge('notify_provider_held_back', 'Whether a provider is not called because it fails', () =>
    carriers.circuits().map(({ tenantId, providerId, kind, mode, isOpen }) => ({
      value: Number(isOpen),
      attributes: { tenant_id: tenantId, provider_id: providerId, kind, mode },
    })),
  )
  const countFailure = createFailureCount(kit, shared.db)
  const own = { sentAttempts: createSentAttempts(), fileRoom: createTenantRoom(sendingRoom), countFailure }
  return { ...shared, carriers, ...own }
}
