import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Occurs once in each event of the bench, and nowhere else. One byte cannot be split between reads. */
export const mark = '~'

const markByte = mark.charCodeAt(0)
const opensAtOnce = 64
/** Connections from one address; each has its own ports. */
const perAddress = 1000
const ready = Buffer.from('event: connection.ready')
const heartbeat = Buffer.from('event: heartbeat')
const createdAt = Buffer.from('"created_at":"')

export interface ReadersOptions {
  port: number
  /** The request of each connection: path and token. */
  requests: readonly { path: string; token?: string }[]
}

/** Connections that read event streams with as little work as possible: they count. */
export class Readers {
  readonly #sockets = new Set<Socket>()
  readonly #buffer = Buffer.alloc(64 * 1024)
  #isTiming = false
  /** Milliseconds since the `created_at` of each event. */
  latencies: number[] = []
  events = 0
  heartbeats = 0
  onEvent = (): void => {}

  get open(): number {
    return this.#sockets.size
  }

  time(isTiming: boolean): void {
    this.#isTiming = isTiming
    this.latencies = []
  }

  async openAll({ port, requests }: ReadersOptions): Promise<void> {
    let next = 0
    const work = async () => {
      for (let at = next++; at < requests.length; at = next++) await this.#open(port, at, requests[at]!)
    }
    await Promise.all(Array.from({ length: opensAtOnce }, work))
  }

  async closeAll(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    while (this.#sockets.size > 0) await delay(10)
  }

  #open(port: number, at: number, { path, token }: ReadersOptions['requests'][number]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let isReady = false
    let head = ''
    const take = (bytes: number, buffer: Uint8Array) => {
      const chunk = (buffer as Buffer).subarray(0, bytes)
      if (isReady) this.#count(chunk)
      else {
        head += chunk.toString('latin1')
        if (head.includes(ready.toString('latin1'))) {
          isReady = true
          head = ''
          resolve()
        }
      }
      return true
    }
    const place = Math.floor(at / perAddress)
    const socket = connect({
      port,
      host: '127.0.0.1',
      localAddress: `127.1.${place}.1`,
      onread: { buffer: this.#buffer, callback: take },
    })
    this.#sockets.add(socket)
    socket.on('error', reject)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      reject(new Error(`the stream was closed: ${head.slice(0, 500)}`))
    })
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n${authorization}\r\n`)
    return promise
  }

  #count(chunk: Buffer): void {
    for (let at = chunk.indexOf(markByte); at !== -1; at = chunk.indexOf(markByte, at + 1)) {
      this.events += 1
      this.onEvent()
    }
    if (this.#isTiming) this.#readTimes(chunk)
    if (chunk.length < 200 && chunk.includes(heartbeat)) this.heartbeats += 1
  }

  #readTimes(chunk: Buffer): void {
    const nowMs = Date.now()
    for (let at = chunk.indexOf(createdAt); at !== -1; at = chunk.indexOf(createdAt, at + 1)) {
      const from = at + createdAt.length
      const sentMs = Date.parse(chunk.toString('latin1', from, from + 24))
      if (!Number.isNaN(sentMs)) this.latencies.push(nowMs - sentMs)
    }
  }
}
