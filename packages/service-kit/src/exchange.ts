import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** A whole answer. */
export interface WholeAnswer {
  statusCode: number
  headers: IncomingHttpHeaders
  text: string
}

/** Why there is no whole answer. */
export interface ExchangeError extends Error {
  code?: string
  /** Whether anything may have left; false only when there never was a connection for the request. */
  hasLeft: boolean
}

/**
 * One request and its whole answer, by undici's lowest door: the streams of its others cost half as much again.
 * @param timeoutMs for all of it, the wait for a free connection included
 * @throws ExchangeError `ENOTCONN` when that was over before a connection was free, `ETIMEDOUT` when the answer was not whole
 * by then; undici's own errors
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    let begun: Dispatcher.DispatchController | undefined
    let late: Error | undefined
    // Codes alone do not tell it: TLS fails with the same ones during the handshake and long after it.
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
        // Thrown it ends the request alone: an abort would take the connection along, which others wait for.
        if (late) throw late
        begun = controller
      },
      onResponseStart(_controller, statusCode, headers) {
        Object.assign(answer, { statusCode, headers })
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
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
