import { type Id, isId, type Route } from '@notify/contracts'
import { idempotent, type Refusal, type Run } from '@notify/database'
import { type Handler, type HttpRequest, Problem, type Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { Admission } from '../limits/admit-send.ts'
import { findMessage } from './message-store.ts'
import { isForNow, sendMessage } from './send-message.ts'

/** Steps of a route before its code is sent. */
interface Steps<R extends Route, Draft> {
  /** Validates and counts the request, and makes the code. Holds no connection, and its result may be discarded. */
  draft(context: Context, request: HttpRequest<R>): Promise<Draft>
  /** Writes the transaction with its message. @returns the message's id */
  write(context: Context, request: HttpRequest<R>, run: Run, draft: Draft): Promise<Id<'notif'>>
}

/**
 * Makes the handler of a POST that sends a code: the message commits with the idempotency record, dispatch commits the
 * notification, the response is stored. If the process dies in between, a repetition or the scheduler continues.
 */
export function commitAndSend<R extends Route, Draft extends Admission>({
  draft,
  write,
}: Steps<R, Draft>): Handler<Context, R> {
  return async (context, request) => {
    let unused: Admission | undefined
    const giveBackUnused = () => {
      unused?.giveBack()
      unused = undefined
    }
    const handle = idempotent<Context, R, { draft: Draft } | { answer: Reply | Refusal }>({
      async prepare(_context, _request, done) {
        giveBackUnused()
        const message = done !== undefined && isId('notif', done) ? await findMessage(context.db.run, done) : undefined
        // Nothing was sent after a refusal, so the request starts again.
        if (message && message.refusal === null) {
          return { answer: await answerOf(sendMessage(context, message.notification_id)) }
        }
        const made = await draft(context, request)
        unused = made
        return { draft: made }
      },
      async effect(_context, _request, run, prepared) {
        if ('answer' in prepared) return prepared.answer
        unused = undefined
        const id = await countingSent(prepared.draft, write(context, request, run, prepared.draft))
        return { done: id, finish: () => answerOf(countingSent(prepared.draft, sendMessage(context, id))) }
      },
    })
    // A request that waits for another one with its key makes a draft at each try.
    return Promise.resolve(handle(context, request)).finally(giveBackUnused)
  }
}

/** A refusal releases the key, for another recipient or channel too. A code that may still be sent keeps it. */
async function answerOf(sending: Promise<Reply>): Promise<Reply | Refusal> {
  try {
    return await sending
  } catch (error) {
    if (error instanceof Problem && !isForNow(error)) return { refuse: error }
    throw error
  }
}

/** Counts no send that is refused. One that fails otherwise may still be sent. */
async function countingSent<T>(admission: Admission, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Problem && !isForNow(error)) admission.giveBack()
    throw error
  }
}
