import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** The parameters of the flooding process, which is separate because the gateway's memory is measured. */
export interface Flood {
  url: string
  apiKey: string
  seconds: number
}

/** Connections of each kind: with half a request head, with bodies of 256 KiB, and with answers of 900 KB. */
const connections = { halfOpen: 3000, senders: 300, readers: 200 }
const bodyBytes = 256 * 1024
const againMs = 100

process.once('message', async ({ url, apiKey, seconds }: Flood) => {
  const { hostname: host, port } = new URL(url)
  const untilMs = performance.now() + seconds * 1000
  const answers: Record<string, number> = {}
  const open = (bytes: Buffer): Socket => {
    const socket = connect({ host, port: Number(port) })
    socket.on('error', () => {})
    socket.write(bytes)
    return socket
  }
  /** Sends the request again after each answer, and connects again after each end. */
  const repeat = (bytes: Buffer): void => {
    const socket = open(bytes)
    const timer = setTimeout(() => socket.destroy(), Math.max(untilMs - performance.now(), 0))
    let leftBytes = 0
    socket.on('data', (chunk: Buffer) => {
      if (leftBytes === 0) {
        const [head = ''] = chunk.toString('latin1').split('\r\n\r\n', 1)
        const status = head.slice(9, 12)
        answers[status] = (answers[status] ?? 0) + 1
        leftBytes = head.length + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      }
      leftBytes = Math.max(0, leftBytes - chunk.length)
      if (leftBytes === 0) socket.write(bytes)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      if (performance.now() < untilMs) setTimeout(repeat, againMs, bytes)
    })
  }
  const half = Buffer.from('POST /api/v1/notifications HTTP/1.1\r\nHost: a\r\nX-')
  const held = Array.from({ length: connections.halfOpen }, () => open(half))
  for (let n = 0; n < connections.senders; n++) repeat(largeSend(apiKey))
  for (let n = 0; n < connections.readers; n++)
    repeat(Buffer.from('GET /content/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'))
  await delay(seconds * 1000)
  for (const socket of held) socket.destroy()
  process.send?.(answers)
  process.disconnect()
})

function largeSend(apiKey: string): Buffer {
  const message = { channel: 'sms', recipient: '+15550109999', body: '' }
  const body = JSON.stringify({ ...message, body: 'x'.repeat(bodyBytes - JSON.stringify(message).length) })
  const head =
    `POST /api/v1/notifications HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${bodyBytes}\r\n\r\n`
  return Buffer.from(head + body)
}
