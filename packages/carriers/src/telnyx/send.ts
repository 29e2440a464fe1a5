import { carrierCallback } from '@notify/contracts'
import { z } from 'zod'
import { checkPassed } from '../account-check.ts'
import type { HttpAnswer } from '../http-client.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { SmsMessage } from '../messages.ts'
import { verdictOfStatus } from '../verdict.ts'
import { telnyxCodes } from './codes.ts'
import { correlationKeyOf, signedQuery } from './correlation.ts'
import type { TelnyxCredentials } from './credentials.ts'

/**
 * Sends SMS through the Telnyx API (v2).
 * @see https://developers.telnyx.com/api-reference/messages/send-a-message
 */
export const telnyxSender = defineHttpSender<TelnyxCredentials, SmsMessage>({
  standInPath: '/telnyx',
  baseUrlOf: () => 'https://api.telnyx.com',
  headersOf: ({ api_key }) => ({ authorization: `Bearer ${api_key}` }),
  requestOf: ({ id, credentials: { api_key, from } }, { to, text, notificationId, attemptId }, { publicUrl }) => ({
    path: '/v2/messages',
    body: {
      from,
      to,
      text,
      // A request has no field that returns in webhooks, so the address carries the correlation.
      webhook_url: `${publicUrl}${callbackPathOf(id)}?${signedQuery(
        { notification_id: notificationId, attempt_id: attemptId },
        correlationKeyOf(api_key),
      )}`,
    },
  }),
  idOf: ({ status, body }) => (status < 300 ? Sent.safeParse(body).data?.data.id : undefined),
  refusalOf,
  check: { pathOf: () => '/v2/balance', read: readBalance },
})

const callbackPathOf = (providerId: string) =>
  carrierCallback.path.replace(':kind', 'telnyx').replace(':provider_id', providerId)

const Sent = z.object({ data: z.object({ id: z.string().min(1) }) })
const Refused = z.object({
  errors: z.array(z.object({ code: z.string(), title: z.string().optional(), detail: z.string().optional() })).min(1),
})

function refusalOf({ status, body }: HttpAnswer) {
  const refused = Refused.safeParse(body).data?.errors[0]
  if (!refused) return { code: `http_${status}`, verdict: verdictOfStatus(status), sentence: undefined }
  const { code, title, detail } = refused
  return { code, verdict: telnyxCodes.judge(status, code), sentence: detail ?? title }
}

const Balance = z.object({ data: z.object({ currency: z.string(), available_credit: z.string() }) })

function readBalance({ status, body }: HttpAnswer) {
  const balance = Balance.safeParse(body)
  if (status !== 200 || !balance.success) return undefined
  return checkPassed('The API key of the account is valid', balance.data.data)
}
