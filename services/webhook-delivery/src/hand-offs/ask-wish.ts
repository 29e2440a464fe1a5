import { judgeHandOffs, mostJudgedHandOffs, type ServicePrincipal } from '@notify/contracts'
import { coalesce, createInternalClient, createPrincipalSigner } from '@notify/service-kit'
import type { Config } from '../config.ts'

const service: ServicePrincipal = { kind: 'service', service: 'webhook-delivery', permissions: ['hand-offs:judge'] }
const timeoutMs = 2000
/** A question waits for those under way, and for its own answer. The lease of a delivery has room for it before the request. */
export const longestQuestionMs = 2 * timeoutMs

/** `unknown`: dispatch does not keep the notification any more. */
export type Wish = 'wanted' | 'opted_out' | 'unknown'

/** Asks dispatch, which judges preferences, whether a recipient still wants a notification. @throws Problem when it does not answer */
export type AskWish = (notificationId: `notif_${string}`) => Promise<Wish>

export async function createWishQuestion({
  DISPATCH_URL,
  SERVICE_SIGNING_KEY,
}: Pick<Config, 'DISPATCH_URL' | 'SERVICE_SIGNING_KEY'>): Promise<AskWish> {
  const dispatch = createInternalClient(DISPATCH_URL)
  const sign = await createPrincipalSigner(SERVICE_SIGNING_KEY, 'webhook-delivery')
  return coalesce<`notif_${string}`, Wish>({
    maxBatch: mostJudgedHandOffs,
    maxInFlight: 4,
    async run(notification_ids) {
      const body = { notification_ids: [...notification_ids] }
      const principal = await sign(service)
      const { opted_out, unknown } = await dispatch.call(judgeHandOffs, { principal, body, timeoutMs })
      return notification_ids.map((id) =>
        opted_out.includes(id) ? 'opted_out' : unknown.includes(id) ? 'unknown' : 'wanted',
      )
    },
  })
}
