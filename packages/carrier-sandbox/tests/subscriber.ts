import { createVerify, X509Certificate } from 'node:crypto'
import { eventually } from '@notify/dev-env'
import { type Received, startReceiver } from './harness.ts'

/** An SNS message as the subscriber got it. */
export type SnsBody = Record<string, string | undefined>

/** An SES event as a notification contains it. */
export interface SesEvent {
  eventType: string
  mail: { messageId: string; destination: string[]; tags: Record<string, string[]>; [name: string]: unknown }
  [name: string]: unknown
}

/** A server that receives the messages of a topic and confirms its subscription when asked, unless the test forbids it. */
export async function startSubscriber({ confirms = true }: { confirms?: boolean } = {}) {
  const receiver = await startReceiver()
  const bodies = (type: string) =>
    receiver.received.map(({ body }) => JSON.parse(body) as SnsBody).filter(({ Type }) => Type === type)
  const confirm = async () => {
    const [request] = await eventually(() => {
      const requests = bodies('SubscriptionConfirmation')
      if (requests.length === 0) throw new Error('no request for confirmation yet')
      return requests
    })
    return await fetch(String(request?.SubscribeURL))
  }
  if (confirms) confirm().catch(() => {})
  return {
    url: receiver.url,
    received: receiver.received as readonly Received[],
    bodies,
    confirm,
    events: () => bodies('Notification').map(({ Message }) => JSON.parse(String(Message)) as SesEvent),
  }
}

/**
 * Checks a signature as Amazon's page describes it, from the message alone: the names of the fields that the type has,
 * sorted by octets, each with its value on the next line.
 */
export async function isGenuine(body: SnsBody): Promise<boolean> {
  const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = names.filter((name) => body[name] !== undefined).map((name) => `${name}\n${body[name]}\n`)
  const certificate = new X509Certificate(await (await fetch(String(body.SigningCertURL))).text())
  const verify = createVerify(body.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(text.join(''))
  return verify.verify(certificate.publicKey, String(body.Signature), 'base64')
}
