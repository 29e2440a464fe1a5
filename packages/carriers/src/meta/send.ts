import { z } from 'zod'
import type { CarrierAnswer } from '../carrier-answer.ts'
import { createHttpClient, type HttpAnswer } from '../http-client.ts'
import type { WhatsAppMessage } from '../messages.ts'
import { readRetryAfter } from '../retry-after.ts'
import type { SenderDefinition } from '../sender.ts'
import { accepted, accountDown, couldNotBeReached, didNotAnswer, isNotWritable, notBegun, refusal } from '../verdict.ts'
import { withoutNumbers } from '../without-numbers.ts'
import { checkAccount } from './check.ts'
import { metaCodes } from './codes.ts'
import type { MetaCredentials } from './credentials.ts'
import type { MetaEnvironment } from './environment.ts'
import { listTemplates } from './list-templates.ts'
import { messageBody } from './message-body.ts'
import { withoutNumber } from './message-id.ts'

/** Sends templates by WhatsApp over Meta's Cloud API. */
export const metaSender: SenderDefinition<MetaCredentials, WhatsAppMessage, MetaEnvironment> = {
  createSender({ timeoutMs, maxConnections, sandboxUrl, environment }) {
    const client = createHttpClient({ timeoutMs, maxConnections })
    return {
      async send({ credentials }, message) {
        const baseUrl = message.mode === 'test' ? `${sandboxUrl}/meta` : environment.META_API_URL
        try {
          const answer = await client.call({
            method: 'POST',
            url: `${baseUrl}/${environment.META_API_VERSION}/${credentials.phone_number_id}/messages`,
            headers: { authorization: `Bearer ${credentials.access_token}` },
            body: messageBody(message),
            traceparent: message.traceparent,
          })
          return readAnswer(answer)
        } catch (error) {
          return explainSilence(error)
        }
      },
      close: () => client.close(),
    }
  },
  templates: { list: listTemplates },
  check: checkAccount,
}

const Sent = z.object({ messages: z.array(z.object({ id: z.string() })).min(1) })
const Refused = z.object({
  error: z.object({
    code: z.int(),
    error_subcode: z.int().optional().catch(undefined),
    message: z.string().default(''),
    error_data: z.object({ details: z.string() }).optional().catch(undefined),
  }),
})

/** The Graph API's answer about the number in the path, with the code of an invalid parameter. */
const isAboutNumber = (code: number, subcode: number | undefined) => code === 100 && subcode === 33
const noSuchNumber = 'The number of the sender does not exist, or the access token may not use it'

/** Classifies an answer: accepted, permanent, retryable or unknown. */
function readAnswer({ status, headers, body }: HttpAnswer): CarrierAnswer {
  const sent = Sent.safeParse(body)
  if (status < 300 && sent.success) return accepted(withoutNumber(sent.data.messages[0]!.id))
  const retryAfterMs = readRetryAfter(headers['retry-after'])
  const refused = Refused.safeParse(body)
  if (refused.success) {
    const { code, error_subcode, message, error_data } = refused.data.error
    if (isAboutNumber(code, error_subcode))
      return refusal(String(code), accountDown(), `${code} ${noSuchNumber}`, retryAfterMs)
    const { text: _, ...verdict } = metaCodes.judge(status, String(code))
    const sentence = withoutNumbers(error_data?.details ?? message)
    return refusal(String(code), verdict, metaCodes.describe(String(code), sentence), retryAfterMs)
  }
  // After an unreadable success the message may have been sent.
  const verdict = status < 300 ? didNotAnswer : metaCodes.judge(status, '')
  return refusal(`http_${status}`, verdict, `The carrier answered ${status}`, retryAfterMs)
}

function explainSilence(error: unknown): CarrierAnswer {
  if (isNotWritable(error)) return notBegun(error)
  const { code = 'no_answer', hasLeft } = error as { code?: unknown; hasLeft?: boolean }
  return refusal(String(code), hasLeft === false ? couldNotBeReached : didNotAnswer, null)
}
