import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** Stops this thread, as a frozen process would. */
export function standStill(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** A text that the server waits for, and its reply. */
export type Turn = readonly [received: string, reply: string]

interface Script {
  /** For TLS. */
  certificate?: { cert: string; key: string } | undefined
  greeting?: string
  turns: readonly Turn[]
}

export interface DistantServer {
  port: number
  /**
   * Waits until the server has received the last text, and stands still until this time of `performance.now()`. Meanwhile
   * the server gives its last reply. Fails if the text does not arrive until then.
   */
  standStillUntil(endsMs: number): Promise<void>
  close(): Promise<unknown>
}

const source = `
  const { parentPort, workerData: { certificate, greeting, turns, steps } } = require('node:worker_threads')
  const server = certificate ? require('node:tls').createServer(certificate) : require('node:net').createServer()
  server.on(certificate ? 'secureConnection' : 'connection', (socket) => {
    socket.on('error', () => {})
    if (greeting) socket.write(greeting)
    let text = ''
    let at = 0
    socket.on('data', (chunk) => {
      text += chunk
      if (at === turns.length || !text.includes(turns[at][0])) return
      const [, reply] = turns[at]
      at += 1
      text = ''
      if (at === turns.length) {
        Atomics.store(steps, 0, 1)
        Atomics.wait(steps, 1, 0)
      }
      socket.write(reply)
      if (at === turns.length) {
        Atomics.store(steps, 2, 1)
        Atomics.notify(steps, 2)
      }
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

/** A server in a thread of its own, which goes on while the thread of the test stands still. */
export async function startDistantServer(script: Script): Promise<DistantServer> {
  /** Whether the server has received the last text, the test stands still, and the last reply was given. */
  const steps = new Int32Array(new SharedArrayBuffer(12))
  const worker = new Worker(source, { eval: true, workerData: { ...script, steps } })
  const [port] = await once(worker, 'message')
  worker.unref()
  return {
    port,
    async standStillUntil(endsMs) {
      // After an immediate, the event loop runs timers before it reads.
      do await nextTurn()
      while (Atomics.load(steps, 0) === 0 && performance.now() < endsMs)
      if (Atomics.load(steps, 0) === 0) throw new Error('the server has not received the last text in time')
      Atomics.store(steps, 1, 1)
      Atomics.notify(steps, 1)
      Atomics.wait(steps, 2, 0)
      standStill(endsMs - performance.now())
    },
    close: () => worker.terminate(),
  }
}
