import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** A whole answer. */
export interface WholeAnswer {
  statusCode: number
  headers: IncomingHttpHeaders
  text: string
}

/**
 * One request and its whole answer, by undici's lowest door: the streams of its others cost half as much again.
 * @param timeoutMs for all of it, the wait for a free connection included
 * @throws Error `ENOTCONN` when that was over before a connection was free: nothing has left; `ETIMEDOUT` when the answer
 * was not whole by then; undici's own errors
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const notBegun = () => systemError('ENOTCONN', 'There was no connection in time')
    let begun: Dispatcher.DispatchController | undefined
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      if (begun) begun.abort(systemError('ETIMEDOUT', 'There was no whole answer in time'))
      else reject(notBegun())
    }, timeoutMs)
    const answer: Omit<WholeAnswer, 'text'> = { statusCode: 0, headers: {} }
    const chunks: Buffer[] = []
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        begun = controller
        if (isOver) controller.abort(notBegun())
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
        reject(error)
      },
    })
  })
}

const systemError = (code: string, message: string) => Object.assign(new Error(message), { code })
