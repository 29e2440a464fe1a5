import { z } from 'zod'
import { checkPassed } from '../account-check.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { SmsMessage } from '../messages.ts'
import { verdictOfStatus } from '../verdict.ts'
import type { TexterCredentials } from './kind.ts'

const Sent = z.object({ id: z.string() })

export const texterSender = defineHttpSender<TexterCredentials, SmsMessage>({
  standInPath: '/texter',
  baseUrlOf: () => 'https://texter.example',
  headersOf: ({ api_key }) => ({ authorization: `Bearer ${api_key}` }),
  requestOf: (_account, { to, text, notificationId, attemptId }) => ({
    path: '/texts',
    body: { to, text, travelled: { notification_id: notificationId, attempt_id: attemptId } },
  }),
  idOf: ({ body }) => Sent.safeParse(body).data?.id,
  refusalOf: ({ status }) => ({ code: `http_${status}`, verdict: verdictOfStatus(status), sentence: undefined }),
  check: {
    pathOf: () => '/account',
    read: ({ status }) => (status === 200 ? checkPassed('It is open', {}) : undefined),
  },
})
