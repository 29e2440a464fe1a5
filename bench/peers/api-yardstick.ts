import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import express from 'express'
import twilio from 'twilio'
import { openPeerPool, type PeerMessage, peerRedis, queueName } from './peer-store.ts'

/** What a team would write: one row and one job for each request, and a route for the carrier's callbacks. */
const pool = openPeerPool()
const queue = new Queue<PeerMessage>(queueName, { connection: peerRedis() })
const authToken = process.env.PEER_TWILIO_AUTH_TOKEN ?? ''
const app = express()

app.post('/messages', express.json(), async (request, response) => {
  const { to, body } = request.body as { to?: unknown; body?: unknown }
  if (typeof to !== 'string' || !/^\+[1-9]\d{6,14}$/.test(to) || typeof body !== 'string' || body === '') {
    response.status(422).json({ error: 'to must be a phone number, and body a text' })
    return
  }
  const id = randomUUID()
  await pool.query({
    name: 'insert-message',
    text: `insert into messages (id, recipient, body, status) values ($1, $2, $3, 'queued')`,
    values: [id, to, body],
  })
  await queue.add(
    'send',
    { id, to, body },
    { jobId: id, attempts: 5, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: true },
  )
  response.status(202).json({ id })
})

app.post('/callbacks', express.urlencoded({ extended: false }), async (request, response) => {
  const url = `http://${request.headers.host}${request.originalUrl}`
  const fields = request.body as Record<string, string>
  if (!twilio.validateRequest(authToken, request.get('x-twilio-signature') ?? '', url, fields)) {
    response.sendStatus(403)
    return
  }
  // A callback may arrive before the worker has stored the sid; final statuses win.
  await pool.query({
    name: 'apply-callback',
    text: `update messages set status = $2, carrier_sid = $3, updated_at = now()
           where (carrier_sid = $3 or id = $1) and status not in ('delivered', 'undelivered', 'failed')`,
    values: [request.query.id, fields.MessageStatus, fields.MessageSid],
  })
  response.sendStatus(204)
})

const server = app.listen(Number(process.env.PEER_PORT ?? 0), '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
process.on('disconnect', () => process.exit())
