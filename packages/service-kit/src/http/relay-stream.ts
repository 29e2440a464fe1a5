import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Client, type Dispatcher } from 'undici'
import type { WholeAnswer } from '../exchange.ts'
import { Problem } from '../problem.ts'
import { repeatLost } from '../repeat-lost.ts'
import type { OpenStream } from './open-stream.ts'
import type { OpenStreams } from './open-streams.ts'

const connectTimeoutMs = 2000
/** Timeout of the response header; the stream itself may be silent. */
const headersTimeoutMs = 7000
/** Limit of an error response. */
const maxRefusalBytes = 64 * 1024

interface Relay {
  /** The service that sends the stream. */
  origin: string
  request: Dispatcher.DispatchOptions
  /** The response to the reader. */
  response: ServerResponse
  streams: OpenStreams
  /** Of the reader, who is authenticated by the service. */
  tenantId: string | undefined
  /** Selects the response headers to pass on. */
  headersOf(headers: IncomingHttpHeaders): IncomingHttpHeaders
}

/**
 * Relays an event stream of another service over its own connection, no faster than the reader reads. When either side
 * disconnects, the other is closed at once.
 * @returns the response if it is not a stream; nothing once the stream has started, or the reader has disconnected
 * @throws Problem `service_unavailable` when no response starts within 7 s, or there is no room for the stream
 */
export function relayStream(relay: Relay): Promise<WholeAnswer | undefined> {
  return repeatLost(() => relayOnce(relay), { idempotent: true, timeoutMs: headersTimeoutMs })
}

function relayOnce({ origin, request, response, streams, tenantId, headersOf }: Relay) {
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer | undefined>()
  if (response.destroyed) {
    resolve(undefined)
    return promise
  }
  const client = new Client(origin, {
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: 0,
  })
  const close = () => void client.destroy().catch(() => {})
  response.once('close', () => {
    close()
    resolve(undefined)
  })
  let stream: OpenStream | undefined
  const refusal: Omit<WholeAnswer, 'text'> = { statusCode: 0, headers: {} }
  const chunks: Buffer[] = []
  let refusalBytes = 0
  let hasLeft = false
  client.dispatch(request, {
    onRequestStart() {
      hasLeft = true
    },
    onResponseStart(controller, statusCode, headers) {
      if (!isEventStream(statusCode, headers)) return void Object.assign(refusal, { statusCode, headers })
      if (response.destroyed) return
      try {
        stream = streams.open(response, headersOf(headers), tenantId)
      } catch (error) {
        reject(error)
        return close()
      }
      stream.onDrain(() => controller.resume())
      resolve(undefined)
    },
    onResponseData(controller, chunk) {
      if (!stream) {
        refusalBytes += chunk.length
        if (refusalBytes <= maxRefusalBytes) chunks.push(chunk)
      } else if (!stream.write(chunk)) controller.pause()
    },
    onResponseEnd() {
      if (stream) stream.end('upstream')
      else resolve({ ...refusal, text: Buffer.concat(chunks).toString('utf8') })
      close()
    },
    onResponseError(_controller, cause) {
      if (stream) stream.destroy('upstream')
      else reject(Object.assign(noAnswer(cause), { hasLeft }))
      close()
    },
  })
  return promise
}

const isEventStream = (statusCode: number, { 'content-type': type }: IncomingHttpHeaders) =>
  statusCode === 200 && type !== undefined && /^text\/event-stream\b/.test(type)

function noAnswer(cause: Error): Problem {
  return new Problem('service_unavailable', 'An internal service does not respond; try again shortly', { cause })
}
