import { z } from 'zod'
import { checkFailed, checkPassed } from '../account-check.ts'
import type { HttpAnswer } from '../http-client.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { SmsMessage } from '../messages.ts'
import { accountDown, verdictOfStatus } from '../verdict.ts'
import { birdCodes } from './codes.ts'
import type { BirdCredentials } from './credentials.ts'

/**
 * Sends SMS through the Channels API.
 * @see https://docs.bird.com/api/channels-api/supported-channels/programmable-sms/sending-sms-messages
 */
export const birdSender = defineHttpSender<BirdCredentials, SmsMessage>({
  standInPath: '/bird',
  baseUrlOf: () => 'https://api.bird.com',
  headersOf: ({ access_key }) => ({ authorization: `AccessKey ${access_key}` }),
  requestOf: ({ credentials }, { to, text, notificationId, attemptId }) => ({
    path: `${pathOf(credentials)}/messages`,
    body: {
      receiver: { contacts: [{ identifierKey: 'phonenumber', identifierValue: to }] },
      body: { type: 'text', text: { text } },
      // It returns in every event.
      reference: String(new URLSearchParams({ notification_id: notificationId, attempt_id: attemptId })),
    },
  }),
  idOf: ({ status, body }) => (status === 202 ? Sent.safeParse(body).data?.id : undefined),
  refusalOf,
  check: { pathOf, read: readChannel },
})

function pathOf({ workspace_id, channel_id }: BirdCredentials): string {
  return `/workspaces/${workspace_id}/channels/${channel_id}`
}

const Sent = z.object({ id: z.string().min(1) })
const Refused = z.object({ code: z.string(), message: z.string().optional() })

/** The path of every call names them, and nothing else that may be missing. */
const notFound = accountDown('The account has no such workspace or channel')

function refusalOf({ status, body }: HttpAnswer) {
  const { code, message: sentence } = Refused.safeParse(body).data ?? {}
  const judged = code === undefined ? verdictOfStatus(status) : birdCodes.judge(status, code)
  return { code: code ?? `http_${status}`, verdict: status === 404 ? notFound : judged, sentence }
}

const Channel = z.object({ id: z.string(), name: z.string().optional(), status: z.string().optional() })

function readChannel({ status, body }: HttpAnswer) {
  const channel = Channel.safeParse(body)
  if (status !== 200 || !channel.success) return undefined
  const { name, status: state = 'active' } = channel.data
  return state === 'active'
    ? checkPassed('The channel of the account is active', { name, status: state })
    : checkFailed(state, `The channel is ${state}`, { name, status: state })
}
