import { randomUUID } from 'node:crypto'
import type { Callback, CallbackSender } from '../callbacks/callback-sender.ts'
import type { Delays } from '../callbacks/delays.ts'
import { type SignatureVersion, type SnsMessage, signMessage } from './sign-message.ts'
import { createSigningKey, type SigningKey } from './signing-key.ts'
import { Subscription } from './subscription.ts'

const firstRepeatMs = 500
const longestRepeatMs = 5_000
const giveUpAfterMs = 60_000

interface SnsOptions {
  sender: CallbackSender
  delays: Delays
  signatureVersion: SignatureVersion
  /** The stand-in's public URL, without a trailing slash; known once the sandbox listens. */
  baseUrl: () => string
}

/** Amazon's notification service: topics, and signed messages to the addresses that confirmed their subscription. */
export class Sns {
  readonly #options: SnsOptions
  readonly #subscriptions: Subscription[] = []
  /** Requests for confirmation under way, and whether they were answered in time. */
  readonly #asking = new Map<Subscription, Promise<boolean>>()
  #key: Promise<SigningKey> | undefined

  constructor(options: SnsOptions) {
    this.#options = options
  }

  get subscriptions(): readonly Subscription[] {
    return this.#subscriptions
  }

  /** Created at the first use and kept. */
  get signingKey(): Promise<SigningKey> {
    this.#key ??= createSigningKey()
    return this.#key
  }

  /** Subscribes an address to a topic; idempotent. The first message asks it to confirm. */
  subscribe(topicArn: string, endpoint: string): Subscription {
    const known = this.#subscriptions.find((each) => each.topicArn === topicArn && each.endpoint === endpoint)
    if (known) return known
    const made = new Subscription(topicArn, endpoint)
    this.#subscriptions.push(made)
    return made
  }

  /** The subscription that this token confirms; undefined when there is none. */
  confirm(topicArn: string, token: string): Subscription | undefined {
    const found = this.#subscriptions.find((each) => each.topicArn === topicArn && each.token === token)
    found?.confirm()
    return found
  }

  /** Ends a subscription; false when there is none of this name. */
  unsubscribe(arn: string): boolean {
    const at = this.#subscriptions.findIndex((each) => each.arn === arn)
    if (at >= 0) this.#subscriptions.splice(at, 1)
    return at >= 0
  }

  /**
   * Sends a message to every subscriber of a topic. An unconfirmed one gets the request for confirmation first, and the
   * message waits a minute for it. Resolves when all have answered or were abandoned; never rejects.
   */
  async publish(topicArn: string, subject: string, message: string): Promise<void> {
    const subscriptions = this.#subscriptions.filter((each) => each.topicArn === topicArn)
    await Promise.all(
      subscriptions.map(async (subscription) => {
        if (!subscription.isConfirmed && !(await this.askForConfirmation(subscription))) return
        const fields = { ...envelope('Notification', topicArn, message), Subject: subject }
        await this.#send(subscription, fields, { 'x-amz-sns-subscription-arn': subscription.arn })
      }),
    )
  }

  /** Asks for the confirmation until it arrives, for at most a minute. @returns whether it arrived */
  askForConfirmation(subscription: Subscription): Promise<boolean> {
    const underWay = this.#asking.get(subscription)
    if (underWay) return underWay
    const asking = this.#ask(subscription).finally(() => this.#asking.delete(subscription))
    this.#asking.set(subscription, asking)
    return asking
  }

  async #ask(subscription: Subscription): Promise<boolean> {
    const { delays, baseUrl } = this.#options
    const { topicArn, token } = subscription
    const giveUpAt = performance.now() + giveUpAfterMs
    for (let waitMs = firstRepeatMs; ; waitMs = Math.min(waitMs * 2, longestRepeatMs)) {
      const text = `You have chosen to subscribe to the topic ${topicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`
      const query = new URLSearchParams({ Action: 'ConfirmSubscription', TopicArn: topicArn, Token: token })
      const fields = { Token: token, SubscribeURL: `${baseUrl()}/sns/?${query}` }
      await this.#send(subscription, { ...envelope('SubscriptionConfirmation', topicArn, text), ...fields })
      const goesOn = await Promise.race([subscription.confirmed().then(() => true), delays.wait(waitMs)])
      if (subscription.isConfirmed) return true
      if (!goesOn || performance.now() > giveUpAt) return false
    }
  }

  async #send(subscription: Subscription, message: SnsMessage, headers: Record<string, string> = {}): Promise<void> {
    await this.#options.sender.send(await this.#sign(subscription, message, headers))
  }

  /** @see https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html */
  async #sign(subscription: Subscription, message: SnsMessage, headers: Record<string, string>): Promise<Callback> {
    const { signatureVersion, baseUrl } = this.#options
    const { privateKey, fileName } = await this.signingKey
    const unsubscribe = new URLSearchParams({ Action: 'Unsubscribe', SubscriptionArn: subscription.arn })
    const body = {
      ...message,
      SignatureVersion: signatureVersion,
      Signature: signMessage(message, signatureVersion, privateKey),
      SigningCertURL: `${baseUrl()}/sns/${fileName}`,
      ...(message.Type === 'Notification' && { UnsubscribeURL: `${baseUrl()}/sns/?${unsubscribe}` }),
    }
    return {
      url: subscription.endpoint,
      headers: {
        'Content-Type': 'text/plain; charset=UTF-8',
        'User-Agent': 'Amazon Simple Notification Service Agent',
        'x-amz-sns-message-type': message.Type,
        'x-amz-sns-message-id': message.MessageId,
        'x-amz-sns-topic-arn': message.TopicArn,
        ...headers,
      },
      body: JSON.stringify(body),
    }
  }
}

function envelope(Type: SnsMessage['Type'], TopicArn: string, Message: string): SnsMessage {
  return { Type, MessageId: randomUUID(), TopicArn, Message, Timestamp: new Date().toISOString() }
}
