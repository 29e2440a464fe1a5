import { smsStatusCallback } from '@notify/contracts'
import type { ExchangeError } from '@notify/service-kit'
import twilio from 'twilio'
import type { CarrierAnswer } from '../carrier-answer.ts'
import { createClientCache } from '../client-cache.ts'
import type { Correlation, SmsMessage } from '../messages.ts'
import type { CarrierAccount, SenderDefinition, SenderOptions } from '../sender.ts'
import { accepted, couldNotBeReached, didNotAnswer, isNotWritable, notBegun, refusal } from '../verdict.ts'
import { withoutNumbers } from '../without-numbers.ts'
import { checkAccount } from './check.ts'
import { judgeTwilioError, twilioCodes } from './codes.ts'
import type { TwilioCredentials } from './credentials.ts'
import type { TwilioEnvironment } from './environment.ts'
import { type CallScope, callScopes, TwilioTransport } from './transport.ts'

type Options = SenderOptions<TwilioEnvironment>

interface Connection {
  client: twilio.Twilio
  transport: TwilioTransport
}

/** Sends SMS through the Twilio API, with one client per account. */
export const twilioSender: SenderDefinition<TwilioCredentials, SmsMessage, TwilioEnvironment> = {
  createSender(options) {
    const clients = createClientCache<Connection>(({ transport }) => transport.close())
    return {
      async send(account, message) {
        const baseUrl = message.mode === 'test' ? `${options.sandboxUrl}/twilio` : options.environment.TWILIO_API_URL
        const { client } = clients.of(account, baseUrl, () => connect(account.credentials, baseUrl, options))
        const scope: CallScope = { traceparent: message.traceparent, retryAfterMs: null }
        try {
          const { sid } = await callScopes.run(scope, () =>
            client.messages.create(parametersOf(account, message, options)),
          )
          // A proxy may have answered for the carrier.
          return sid ? accepted(sid) : refusal('no_id', didNotAnswer, null)
        } catch (error) {
          return answerOf(error, scope)
        }
      },
      close: () => clients.close(),
    }
  },
  check: checkAccount,
}

function connect(
  { account_sid, auth_token }: TwilioCredentials,
  baseUrl: string,
  { timeoutMs, maxConnections }: Options,
): Connection {
  const transport = new TwilioTransport({ timeoutMs, maxConnections })
  const client = twilio(account_sid, auth_token, { httpClient: transport })
  client.api.baseUrl = baseUrl
  return { client, transport }
}

function parametersOf(
  { id, credentials }: CarrierAccount<TwilioCredentials>,
  { to, text, notificationId, attemptId, traceparent }: SmsMessage & Correlation,
  { publicUrl }: Options,
) {
  const correlation = new URLSearchParams({
    notification_id: notificationId,
    attempt_id: attemptId,
    provider_id: id,
    ...(traceparent ? { traceparent } : {}),
  })
  return {
    to,
    body: text,
    statusCallback: `${publicUrl}${smsStatusCallback.path}?${correlation}`,
    ...(credentials.from ? { from: credentials.from } : { messagingServiceSid: credentials.messaging_service_sid! }),
  }
}

/** The carrier's error, or the transport failure. */
type Failure = Partial<Omit<ExchangeError, 'code'>> & { status?: number; code?: string | number }

/** Classifies a failed call: permanent, retryable or unknown. */
function answerOf(error: unknown, { retryAfterMs, begun }: CallScope): CarrierAnswer {
  if (!begun || isNotWritable(error)) return notBegun(error)
  const { status, code, message, hasLeft } = error as Failure
  if (typeof status === 'number') {
    const carrierCode = code === undefined ? `http_${status}` : String(code)
    const sentence = message ? withoutNumbers(message) : `The carrier answered ${status}`
    const { text: _, ...verdict } = judgeTwilioError(status, carrierCode)
    return refusal(carrierCode, verdict, twilioCodes.describe(carrierCode, sentence), retryAfterMs)
  }
  const reason = String(code ?? 'no_answer')
  return refusal(reason, hasLeft === false ? couldNotBeReached : didNotAnswer, null, retryAfterMs)
}
