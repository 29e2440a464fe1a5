import { type Router, Router as router } from 'express'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import type { Reporter } from '../callbacks/reporter.ts'
import type { MessageLog } from '../messages/message-log.ts'
import { randomHex } from '../random-hex.ts'

interface Surroundings {
  log: MessageLog
  sender: CallbackSender
  reporter: Reporter
}

/** `POST /messages`: logs the message and reports it as delivered. */
export function pusherRoutes({ log, sender, reporter }: Surroundings): Router {
  return router().post('/messages', (req, res) => {
    const body = JSON.parse(req.body.toString())
    const id = randomHex()
    const { authorization = '' } = req.headers
    log.add({
      id: `msg_${id}`,
      channel: 'push',
      account: 'pusher',
      to: body.device,
      from: '',
      text: body.alert,
      provider_message_id: id,
      status: 'sent',
      error_code: null,
      received_at: new Date().toISOString(),
      sent_at: null,
      request: { headers: {}, body },
    })
    res.json({ id })
    const { notification_id, attempt_id, callback: url } = body
    const headers = { authorization, 'content-type': 'application/json' }
    void reporter.report(['delivered'], (status) =>
      sender.send({ url, headers, body: JSON.stringify({ id, notification_id, attempt_id, status }) }),
    )
  })
}
