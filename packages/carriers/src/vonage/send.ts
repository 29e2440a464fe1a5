import { randomUUID, sign } from 'node:crypto'
import { carrierCallback } from '@notify/contracts'
import { z } from 'zod'
import { checkFailed, checkPassed } from '../account-check.ts'
import { createClientCache } from '../client-cache.ts'
import type { HttpAnswer } from '../http-client.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { SmsMessage } from '../messages.ts'
import { later, verdictOfStatus } from '../verdict.ts'
import { codeOfType, vonageCodes } from './codes.ts'
import { readPrivateKey, type VonageCredentials } from './credentials.ts'

/**
 * Sends SMS through the Messages API (v1).
 * @see https://developer.vonage.com/en/api/messages
 */
export const vonageSender = defineHttpSender<VonageCredentials, SmsMessage>({
  standInPath: '/vonage',
  baseUrlOf: () => 'https://api.nexmo.com',
  headersOf(credentials, account) {
    const create = () => createTokens(credentials)
    const token = account ? tokens.of(account, '', create) : create()
    return { authorization: `Bearer ${token()}` }
  },
  requestOf: ({ id, credentials: { from } }, { to, text, notificationId, attemptId }, { publicUrl }) => ({
    path: '/v1/messages',
    body: {
      channel: 'sms',
      message_type: 'text',
      to: to.slice(1),
      from: from.replace(/^\+/, ''),
      text,
      // It returns in every status; at most 100 characters.
      client_ref: String(new URLSearchParams({ notification_id: notificationId, attempt_id: attemptId })),
      webhook_url: publicUrl + carrierCallback.path.replace(':kind', 'vonage').replace(':provider_id', id),
      webhook_version: 'v1',
    },
  }),
  idOf: ({ status, body }) => (status === 202 ? Sent.safeParse(body).data?.message_uuid : undefined),
  refusalOf,
  check: {
    pathOf: ({ application_id }) => `/v2/applications/${application_id}`,
    headersOf: ({ api_key, api_secret }) => ({
      authorization: `Basic ${Buffer.from(`${api_key}:${api_secret}`).toString('base64')}`,
    }),
    read: readApplication,
  },
})

const lifetimeS = 900
/** By account and revision: the credentials are parsed again each second. */
const tokens = createClientCache<() => string>()

/** Makes tokens of an application: RS256. One serves for ten minutes, because signing costs more than the rest of a send. */
function createTokens({ application_id, private_key }: VonageCredentials): () => string {
  let known = { token: '', untilS: 0 }
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return () => {
    const nowS = Math.floor(Date.now() / 1000)
    if (known.untilS > nowS) return known.token
    const claims = { application_id, iat: nowS, exp: nowS + lifetimeS, jti: randomUUID() }
    const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(text), readPrivateKey(private_key))
    known = { token: `${text}.${signature.toString('base64url')}`, untilS: nowS + (lifetimeS * 2) / 3 }
    return known.token
  }
}

const Sent = z.object({ message_uuid: z.string().min(1) })
const Refused = z.object({ type: z.string(), title: z.coerce.string().optional(), detail: z.string().optional() })

function refusalOf({ status, body }: HttpAnswer) {
  const refused = Refused.safeParse(body).data
  if (!refused) return { code: `http_${status}`, verdict: verdictOfStatus(status), sentence: undefined }
  const code = codeOfType(refused.type)
  // The limit of requests has the code of a missing parameter.
  const verdict = status === 429 ? later('Too many requests') : vonageCodes.judge(status, code)
  return { code, verdict, sentence: refused.detail ?? refused.title }
}

const Application = z.object({
  id: z.string(),
  name: z.string().optional(),
  capabilities: z.record(z.string(), z.unknown()),
})

function readApplication({ status, body }: HttpAnswer) {
  const application = Application.safeParse(body)
  if (status !== 200 || !application.success) return undefined
  const { name, capabilities } = application.data
  return 'messages' in capabilities
    ? checkPassed('The application of the account may send messages', { name })
    : checkFailed('messages', 'The application lacks the capability Messages', { name })
}
