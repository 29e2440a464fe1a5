import { randomBytes, randomUUID } from 'node:crypto'

/** An address that gets the messages of a topic once it has confirmed the subscription. */
export class Subscription {
  readonly arn: string
  readonly topicArn: string
  readonly endpoint: string
  /** The token that a confirmation must contain. */
  readonly token = randomBytes(64).toString('hex')
  #isConfirmed = false
  #waiting: (() => void)[] = []

  constructor(topicArn: string, endpoint: string) {
    this.arn = `${topicArn}:${randomUUID()}`
    this.topicArn = topicArn
    this.endpoint = endpoint
  }

  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** Accepts the confirmation and resumes those that wait for it. */
  confirm(): void {
    this.#isConfirmed = true
    for (const proceed of this.#waiting.splice(0)) proceed()
  }

  /** Resolves when it is confirmed, at once if it already is. */
  confirmed(): Promise<void> {
    if (this.#isConfirmed) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
