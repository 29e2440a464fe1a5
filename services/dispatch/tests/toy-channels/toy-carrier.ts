import { z } from 'zod'
import type { CarrierAnswer } from '../../src/carriers/carrier.ts'
import type { CarrierTable } from '../../src/carriers/create-carriers.ts'
import type { ToyPayload } from './toy-channels.ts'

/** Posts the message to the address that it is for. */
async function send(provider: { credentials: unknown }, message: unknown): Promise<CarrierAnswer> {
  const { secret } = ToyCredentials.parse(provider.credentials)
  const { to, text, notificationId } = message as ToyPayload & { notificationId: string }
  const body = JSON.stringify({ text, secret, notification_id: notificationId })
  const answer = await fetch(to, { method: 'POST', body }).catch(() => undefined)
  const code = String(answer?.status ?? 'unreachable')
  return {
    outcome: answer?.ok ? 'accepted' : 'rejected_permanent',
    code: answer?.ok ? null : code,
    message: answer?.ok ? null : `The toy answered ${code}`,
    providerMessageId: answer?.ok ? `toy-${notificationId}` : null,
    retryAfterMs: null,
  }
}

const ToyCredentials = z.strictObject({ secret: z.string() })

export const toyCarriers: CarrierTable = { toy: { credentials: ToyCredentials, send } }
