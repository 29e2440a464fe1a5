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

/**
 * Sends one request and reads the whole response, through undici's `dispatch`: its stream APIs cost half as much again.
 * @param timeoutMs total timeout, including the wait for a free connection
 * @param onData gets the body of a 200 as it arrives, in place of `text`
 * @throws ExchangeError `ENOTCONN` if no connection became free in time, `ETIMEDOUT` if the response was incomplete by
 * then; undici's own errors
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
  onData?: (chunk: Buffer) => void,
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
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        // Throwing ends only this request; an abort would close the connection that others wait for.
        if (late) throw late
        begun = controller
      },
      onResponseStart(_controller, statusCode, headers) {
        Object.assign(answer, { statusCode, headers })
      },
      onResponseData(_controller, chunk) {
        if (onData && answer.statusCode === 200) onData(chunk)
        else chunks.push(chunk)
      },
      onResponseEnd() {
        clearTimeout(timer)
        resolve({ ...answer, text: Buffer.concat(chunks).toString('utf8') })
      },
      onResponseError(_controller, error) {
        clearTimeout(timer)
        fail(error)
      },
    })
  })
}

const systemError = (code: string, message: string) => Object.assign(new Error(message), { code })
