import { pushCallback } from '@notify/contracts'
import type { PushMessage } from '../messages.ts'
import type { SenderDefinition } from '../sender.ts'
import { accepted, didNotAnswer, refusal, verdictOfStatus } from '../verdict.ts'
import type { PusherEnvironment } from './environment.ts'
import type { PusherCredentials } from './kind.ts'

export const pusherSender: SenderDefinition<PusherCredentials, PushMessage, PusherEnvironment> = {
  createSender: ({ sandboxUrl, publicUrl, timeoutMs, environment }) => ({
    async send({ id, credentials }, { to, alert, notificationId, attemptId, mode }) {
      const base = mode === 'test' ? `${sandboxUrl}/pusher` : environment.PUSHER_API_URL
      const callback = `${publicUrl}${pushCallback.path.replace(':provider_id', id)}`
      const response = await fetch(`${base}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credentials.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ device: to, alert, notification_id: notificationId, attempt_id: attemptId, callback }),
        signal: AbortSignal.timeout(timeoutMs),
      }).catch(() => undefined)
      if (!response) return refusal('no_answer', didNotAnswer, null)
      if (!response.ok) return refusal(`http_${response.status}`, verdictOfStatus(response.status), null)
      return accepted(((await response.json()) as { id: string }).id)
    },
    close() {},
  }),
}
