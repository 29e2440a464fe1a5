import { type ErrorCode, errorCodes, type Id, type OtpSent } from '@notify/contracts'
import { Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { findMessage, type Message } from './message-store.ts'
import { settleAccepted, settleRefused } from './settle-message.ts'

/** How often a request calls dispatch; the scheduler hands the message over later. */
const mostTries = 2

/**
 * Hands a message to dispatch, unless dispatch has it already, and returns the response. A repetition sends nothing twice.
 * @throws Problem with which dispatch refused it, or `service_unavailable` or `rate_limited` if it may still be sent
 */
export async function sendMessage(context: Context, notificationId: Id<'notif'>): Promise<Reply> {
  const message = await findMessage(context.db.run, notificationId)
  if (!message) throw new Error('a message is gone')
  if (message.request === null) {
    if (message.refusal !== null) throw refusalOf(message.refusal, 'The message was refused')
    return replyOf(message)
  }
  for (let tries = 1; ; tries++) {
    try {
      await handOverMessage(context, message)
      return replyOf(message)
    } catch (error) {
      if (!(error instanceof Problem) || !isForNow(error)) throw error
      if (tries === mostTries) throw mayStillBeSent(error)
    }
  }
}

/** The refusals after which a message keeps waiting. */
const temporary: readonly string[] = ['service_unavailable', 'rate_limited']

/** Whether the code may still be sent. */
export const isForNow = ({ code }: Problem): boolean => temporary.includes(code)

function mayStillBeSent(cause: Problem): Problem {
  return new Problem(
    cause.code,
    'The code was sent, or may still be sent while it is valid. Repeat the request with the same Idempotency-Key: the answer names its transaction',
    { mayHaveTakenEffect: true, cause },
  )
}

/** @throws Problem with which dispatch refused it, or one that is for now */
export async function handOverMessage(context: Context, message: Message): Promise<void> {
  const { db, handOver, metrics, settingsOf, wakeOutbox } = context
  const { request, notification_id } = message
  if (request === null) return
  const answer = await handOver({ ...message, request }, await settingsOf(message.application_id))
  if (answer === undefined) {
    await settleAccepted(db.run, notification_id)
    wakeOutbox()
    metrics.sent(message)
    return
  }
  // The tenant's templates use too much time just now: no fault of this code.
  if (answer.code === 'rate_limited') throw refusalOf(answer.code, answer.detail)
  // A failure of dispatch may be temporary: the message keeps waiting.
  if (answer.status >= 500 || answer.code === 'idempotency_in_progress') {
    throw new Problem('service_unavailable', 'An internal service does not respond; try again shortly')
  }
  await settleRefused(db.run, notification_id, answer.code)
  wakeOutbox()
  metrics.refused(answer.code)
  throw refusalOf(answer.code, answer.detail, answer.errors)
}

function refusalOf(code: string, detail: string, errors?: Problem['errors']): Problem {
  const known = Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'internal_error'
  return new Problem(known, detail, errors ? { errors } : {})
}

function replyOf({ transaction_id, expires_in_ms }: Message): Reply {
  const answer: OtpSent = {
    status: 'sent',
    transaction_id,
    expires_in_seconds: Math.max(0, Math.ceil(expires_in_ms / 1000)),
  }
  return new Reply(200, JSON.stringify(answer))
}
