import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { startDeadline } from './loop-turns.ts'

/** A complete response. */
export interface WholeAnswer {
  statusCode: number
  headers: IncomingHttpHeaders
  text: string
}

/** Why there is no complete response. */
export interface ExchangeError extends Error {
  code?: string
  /** Whether the request may have been sent; false only if it never had a connection. */
  hasLeft: boolean
}

/** How a response is read. */
export interface Reading {
  /** Receives the body of a 200 in chunks; `text` is then empty. */
  onData?: ((chunk: Buffer) => void) | undefined
  /** A longer body is truncated, and its connection closed. */
  maxBytes?: number
}

/**
 * Sends one request and reads the whole response, by undici's `dispatch`; undici's stream APIs need half as much CPU again.
 * @param timeoutMs total timeout, including the wait for a free connection
 * @throws ExchangeError `ENOTCONN` if no connection became free in time, `ETIMEDOUT` if the response was incomplete by then;
 * undici's own errors
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
  { onData, maxBytes = Number.POSITIVE_INFINITY }: Reading = {},
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    let begun: Dispatcher.DispatchController | undefined
    let late: Error | undefined
    // Error codes do not show this: TLS fails with the same codes during and after the handshake.
    const fail = (error: Error) => reject(Object.assign(error, { hasLeft: begun !== undefined }))
    const endsAt = performance.now() + timeoutMs
    const giveUp = () => {
      late = begun
        ? systemError('ETIMEDOUT', 'There was no whole answer in time')
        : systemError('ENOTCONN', 'There was no connection in time')
      fail(late)
      begun?.abort(late)
    }
    const settle = startDeadline(timeoutMs, giveUp)
    const answer: Omit<WholeAnswer, 'text'> = { statusCode: 0, headers: {} }
    const chunks: Buffer[] = []
    let bytes = 0
    const end = () => {
      settle()
      resolve({ ...answer, text: Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8') })
    }
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        // After a standstill, a connection may become free late and yet before the deadline ends the wait.
        if (performance.now() >= endsAt) giveUp()
        // An error thrown here ends only this request. An abort would also close the connection, for which others may wait.
        if (late) throw late
        begun = controller
      },
      onResponseStart(_controller, statusCode, headers) {
        Object.assign(answer, { statusCode, headers })
      },
      onResponseData(controller, chunk) {
        if (onData && answer.statusCode === 200) return onData(chunk)
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes <= maxBytes) return
        end()
        controller.abort(systemError('EMSGSIZE', 'The response is too long'))
      },
      onResponseEnd: end,
      onResponseError(_controller, error) {
        settle()
        fail(error)
      },
    })
  })
}

const systemError = (code: string, message: string) => Object.assign(new Error(message), { code })
