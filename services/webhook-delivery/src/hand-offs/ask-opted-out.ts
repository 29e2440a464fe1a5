import { judgeHandOffs, mostJudgedHandOffs, type ServicePrincipal } from '@notify/contracts'
import { coalesce, createInternalClient, createPrincipalSigner } from '@notify/service-kit'
import type { Config } from '../config.ts'

const service: ServicePrincipal = { kind: 'service', service: 'webhook-delivery', permissions: ['hand-offs:judge'] }
const timeoutMs = 2000
/** A question waits for those under way, and for its own answer. The lease of a delivery has room for it before the request. */
export const longestQuestionMs = 2 * timeoutMs

/** Asks dispatch, which judges preferences, whether the recipient of a notification has switched it off. @throws Problem when it does not answer */
export type IsOptedOut = (notificationId: `notif_${string}`) => Promise<boolean>

export async function createOptOutQuestion({
  DISPATCH_URL,
  SERVICE_SIGNING_KEY,
}: Pick<Config, 'DISPATCH_URL' | 'SERVICE_SIGNING_KEY'>): Promise<IsOptedOut> {
  const dispatch = createInternalClient(DISPATCH_URL)
  const sign = await createPrincipalSigner(SERVICE_SIGNING_KEY, 'webhook-delivery')
  return coalesce<`notif_${string}`, boolean>({
    maxBatch: mostJudgedHandOffs,
    maxInFlight: 4,
    async run(notification_ids) {
      const body = { notification_ids: [...notification_ids] }
      const { opted_out } = await dispatch.call(judgeHandOffs, { principal: await sign(service), body, timeoutMs })
      const found = new Set<string>(opted_out)
      return notification_ids.map((id) => found.has(id))
    },
  })
}
