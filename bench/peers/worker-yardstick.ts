import { Worker } from 'bullmq'
import twilio from 'twilio'
import { openPeerPool, type PeerMessage, peerRedis, queueName } from './peer-store.ts'

const concurrency = 50

/** What a team would write: a worker that sends each job with the carrier's SDK and stores the carrier's id. */
const pool = openPeerPool()
const httpClient = new twilio.RequestClient({ keepAlive: true, maxSockets: concurrency })
const client = twilio(process.env.PEER_TWILIO_ACCOUNT_SID, process.env.PEER_TWILIO_AUTH_TOKEN, { httpClient })
client.api.baseUrl = process.env.PEER_TWILIO_URL ?? ''

const worker = new Worker<PeerMessage>(
  queueName,
  async ({ data: { id, to, body } }) => {
    const statusCallback = `${process.env.PEER_API_URL}/callbacks?id=${id}`
    const { sid } = await client.messages.create({ from: '+15005550006', to, body, statusCallback })
    await pool.query({
      name: 'store-sid',
      text: `update messages set carrier_sid = $2, status = case status when 'queued' then 'sent' else status end, updated_at = now()
             where id = $1`,
      values: [id, sid],
    })
  },
  { connection: peerRedis(), concurrency },
)
await worker.waitUntilReady()
process.send?.(0)
process.on('disconnect', () => process.exit())
