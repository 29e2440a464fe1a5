import { eventually, TestEnv } from '@notify/dev-env'
import { texterFlow } from './texter-flow.ts'

/** Sends one push with the seeded event and prints what each part of the system shows of it. */
const worker: Record<string, string> = {}
const env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
  env: { 'dispatch-worker': worker },
  onStack({ wiring }) {
    worker.PUSHER_API_URL = `http://127.0.0.1:${wiring.ports.process['carrier-sandbox']}/pusher`
  },
})
try {
  const operator = { token: env.operatorToken }
  const provider = await env.api('POST', '/api/v1/providers', {
    ...operator,
    body: { channel: 'push', kind: 'pusher', name: 'Pusher', credentials: { token: 'a token of the toy' } },
  })
  const preview = await env.api('POST', `/api/v1/applications/${env.applicationId}/events/order.shipped/preview`, {
    ...operator,
    body: { channel: 'push', data: { name: 'Ada', order: 'A-1' } },
  })
  const event = { channel: 'push', event_key: 'order.shipped', data: { name: 'Ada', order: 'A-1' } }
  const refused = await env.api('POST', '/api/v1/notifications', { body: { ...event, recipient: { phone: '+1' } } })
  const sent = await eventually(async () => {
    const answer = await env.api('POST', '/api/v1/notifications', { body: { ...event, recipient: { device: 'ph-1' } } })
    if (answer.status !== 202) throw new Error(JSON.stringify(answer.body))
    return answer
  })
  const id = sent.body.notification_id
  const shown = await eventually(async () => {
    const { body } = await env.api('GET', '/api/v1/activity?channel=push', operator)
    const item = body.items.find((one: { transaction_id: string }) => one.transaction_id === id)
    if (item?.status !== 'delivered') throw new Error(JSON.stringify(body))
    return item
  })
  const messages = await env.messages({ to: 'ph-1' })
  const { body: openapi } = await env.api('GET', '/content/openapi.json')
  console.log(
    `RESULT ${JSON.stringify({
      provider: provider.status,
      preview: preview.body.rendered,
      refused: [refused.status, refused.body.code],
      activity: { status: shown.status, channel: shown.channel, recipient: shown.recipient_masked },
      sandbox: messages.map(({ channel, text }) => ({ channel, text })),
      texter: await texterFlow(env),
      documented: '/api/v1/callbacks/push/{provider_id}' in openapi.paths,
    })}`,
  )
} finally {
  await env.stop()
}
