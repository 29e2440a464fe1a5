import { setTimeout as delay } from 'node:timers/promises'

/** The hostile client, a separate process: repeats one request and counts the responses by status. */
interface Attack {
  url: string
  method: string
  headers: Record<string, string>
  text: string | undefined
  perSecond: number
  /** Maximum concurrent requests. */
  open: number
}

let open = 0
const answers: Record<string, number> = {}

async function ask({ url, method, headers }: Attack, body: Buffer | undefined): Promise<void> {
  open++
  const signal = AbortSignal.timeout(60_000)
  const status = await fetch(url, { method, headers, signal, ...(body && { body: new Uint8Array(body) }) })
    .then(async (response) => {
      await response.arrayBuffer()
      return response.status
    })
    .catch(() => 0)
  answers[status] = (answers[status] ?? 0) + 1
  open--
}

process.once('message', (message) => {
  const attack = message as Attack
  const body = attack.text === undefined ? undefined : Buffer.from(attack.text)
  const timer = setInterval(() => {
    if (open < attack.open) void ask(attack, body)
  }, 1000 / attack.perSecond)
  process.once('message', async () => {
    clearInterval(timer)
    while (open > 0) await delay(50)
    process.send?.(answers, () => process.disconnect())
  })
})
// The bench has ended.
process.on('disconnect', () => process.exit())
