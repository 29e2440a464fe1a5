import { judgeHandOffs, mostJudgedHandOffs, type ServiceName, type ServicePrincipal } from '@notify/contracts'
import type { JWK } from 'jose'
import { coalesce } from './coalesce.ts'
import { createInternalClient } from './internal-client.ts'
import { createPrincipalSigner } from './principal/sign.ts'

const timeoutMs = 2000
/** Longest time until an answer, in milliseconds: a question waits for those under way, and for its own answer. */
export const longestQuestionMs = 2 * timeoutMs

/** `unknown`: dispatch does not keep the notification any more. */
export type Wish = 'wanted' | 'opted_out' | 'unknown'

/** Asks dispatch, which judges preferences, whether a recipient still wants a notification. @throws Problem when it does not answer */
export type AskWish = (notificationId: `notif_${string}`) => Promise<Wish>

/**
 * Connects a service that delivers hand-offs with dispatch; many questions are one call.
 * @param service the service that asks, whose key signs the calls
 */
export async function createWishQuestion(
  service: ServiceName,
  { DISPATCH_URL, SERVICE_SIGNING_KEY }: { DISPATCH_URL: string; SERVICE_SIGNING_KEY: JWK },
): Promise<AskWish> {
  const asking: ServicePrincipal = { kind: 'service', service, permissions: ['hand-offs:judge'] }
  const dispatch = createInternalClient(DISPATCH_URL)
  const sign = await createPrincipalSigner(SERVICE_SIGNING_KEY, service)
  return coalesce<`notif_${string}`, Wish>({
    maxBatch: mostJudgedHandOffs,
    maxInFlight: 4,
    async run(notification_ids) {
      const body = { notification_ids: [...notification_ids] }
      const principal = await sign(asking)
      const { opted_out, unknown } = await dispatch.call(judgeHandOffs, { principal, body, timeoutMs })
      return notification_ids.map((id) =>
        opted_out.includes(id) ? 'opted_out' : unknown.includes(id) ? 'unknown' : 'wanted',
      )
    },
  })
}
