import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** A complete response. */
export interface WholeAnswer {
  statusCode: number
  headers: IncomingHttpHeaders
  text: string
}

/** Why there is no complete response. */
export interface ExchangeError extends Error {
  code?: string
  /** Whether the request may have left; false only if it never had a connection. */
  hasLeft: boolean
}

/** How a response is read. */
export interface Reading {
  /** Gets the body of a 200 as it arrives, in place of `text`. */
  onData?: ((chunk: Buffer) => void) | undefined
  /** Where a longer body is cut off, with its connection. */
  maxBytes?: number
}

/**
 * Sends one request and reads the whole response, through undici's `dispatch`: its stream APIs cost half as much again.
 * @param timeoutMs total timeout, including the wait for a free connection
 * @throws ExchangeError `ENOTCONN` if no connection became free in time, `ETIMEDOUT` if the response was incomplete by
 * then; undici's own errors
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
    // Error codes cannot tell: TLS fails with the same codes during and after the handshake.
    const fail = (error: Error) => reject(Object.assign(error, { hasLeft: begun !== undefined }))
    const timer = setTimeout(() => {
      late = begun
        ? systemError('ETIMEDOUT', 'There was no whole answer in time')
        : systemError('ENOTCONN', 'There was no connection in time')
      fail(late)
      begun?.abort(late)
    }, timeoutMs)
    const answer: Omit<WholeAnswer, 'text'> = { statusCode: 0, headers: {} }
    const chunks: Buffer[] = []
    let bytes = 0
    const end = () => {
      clearTimeout(timer)
      resolve({ ...answer, text: Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8') })
    }
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        // Throwing ends only this request; an abort would close the connection that others wait for.
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
        clearTimeout(timer)
        fail(error)
      },
    })
  })
}

const systemError = (code: string, message: string) => Object.assign(new Error(message), { code })
