import type { CallbackSender } from '../callbacks/callback-sender.ts'
import type { Delays } from '../callbacks/delays.ts'
import type { LoggedMessage } from '../messages/message-log.ts'
import type { TwilioAccount } from './account.ts'
import type { Step } from './deviations.ts'
import { statusCallback } from './status-callback.ts'

/** A message under way and whom to tell about it. */
export interface Report {
  account: TwilioAccount
  message: LoggedMessage
  /** Where the callbacks go; without one the message only changes its state. */
  callbackUrl: string | undefined
  steps: readonly Step[]
}

/** Takes messages through their states: one wait and one callback after the other, so their order is kept. */
export class StatusReporter {
  readonly #sender: CallbackSender
  readonly #delays: Delays
  readonly #delayMs: number
  #underWay = 0

  constructor(sender: CallbackSender, delays: Delays, delayMs: number) {
    this.#sender = sender
    this.#delays = delays
    this.#delayMs = delayMs
  }

  /** How many messages still have callbacks to come. */
  get underWay(): number {
    return this.#underWay
  }

  async report({ account, message, callbackUrl, steps }: Report): Promise<void> {
    this.#underWay++
    for (const step of steps) {
      if (!(await this.#delays.wait(this.#delayMs))) break
      advance(message, step)
      if (callbackUrl) await this.#sender.send(statusCallback(account, callbackUrl, message, step))
    }
    this.#underWay--
  }
}

/** A final state stays, whatever late callbacks say. */
function advance(message: LoggedMessage, step: Step): void {
  message.sent_at ??= new Date().toISOString()
  if (message.status === 'delivered' || message.status === 'undelivered') return
  message.status = step.status
  message.error_code = step.errorCode ?? null
}
