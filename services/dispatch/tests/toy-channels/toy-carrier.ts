import {
  accepted,
  type CarrierAccount,
  type CarrierAnswer,
  type Correlation,
  permanent,
  refusal,
  type SendingCarriers,
  sendingCarriers,
} from '@notify/carriers/sending'
import { z } from 'zod'
import type { ToyPayload } from './toy-channels.ts'

const ToyCredentials = z.strictObject({ secret: z.string() })

/** Posts the message to the address that it is for. */
async function send(
  { credentials: { secret } }: CarrierAccount<z.output<typeof ToyCredentials>>,
  { to, text, notificationId }: ToyPayload & Correlation,
): Promise<CarrierAnswer> {
  const body = JSON.stringify({ text, secret, notification_id: notificationId })
  const answer = await fetch(to, { method: 'POST', body }).catch(() => undefined)
  if (answer?.ok) return accepted(`toy-${notificationId}`)
  const code = String(answer?.status ?? 'unreachable')
  return refusal(code, permanent(`The toy answered ${code}`), null)
}

export const toyCarriers: SendingCarriers = {
  ...sendingCarriers,
  toy: {
    channel: 'webhook',
    credentials: ToyCredentials,
    environment: {},
    createSender: () => ({ send, close: () => {} }),
  },
}
