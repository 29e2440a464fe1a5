import { createPrivateKey, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'

/** The attempt of an email, as in its tags. */
export interface EmailCorrelation {
  notificationId: string
  attemptId: string
}

export const recipient = 'ada.lovelace@example.com'

/** An event as SES publishes it. */
export function sesEvent(
  eventType: string,
  details: object = {},
  { notificationId, attemptId }: Partial<EmailCorrelation> = {},
) {
  return {
    eventType,
    mail: {
      timestamp: '2026-01-01T00:00:00.000Z',
      source: 'Shop <orders@shop.example>',
      sendingAccountId: '123456789012',
      messageId: `0102${crypto.randomUUID()}-000000`,
      destination: [recipient],
      headersTruncated: false,
      headers: [{ name: 'Subject', value: 'Your order' }],
      commonHeaders: { from: ['Shop <orders@shop.example>'], to: [recipient], subject: 'Your order' },
      tags: {
        'ses:configuration-set': ['events'],
        ...(notificationId ? { notification_id: [notificationId] } : {}),
        ...(attemptId ? { attempt_id: [attemptId] } : {}),
      },
    },
    ...details,
  }
}

/** A bounce whose diagnosis contains the recipient, as servers often send it. */
export function bounce(bounceType: string, bounceSubType: string, correlation: Partial<EmailCorrelation> = {}) {
  const bouncedRecipients = [
    {
      emailAddress: recipient,
      action: 'failed',
      status: '5.1.1',
      diagnosticCode: `smtp; 550 5.1.1 <${recipient}> unknown`,
    },
  ]
  return sesEvent('Bounce', { bounce: { bounceType, bounceSubType, bouncedRecipients } }, correlation)
}

export const topicArn = 'arn:aws:sns:eu-west-1:123456789012:ses-events'

export type Fields = Record<string, string | undefined>

/** A certificate and the key that signs with it. */
export interface Signer {
  certificate: string
  /** Signs as SNS does: fields sorted by name, each name and value on its own line. */
  sign(fields: Fields, version?: string): string
}

const hour = 3_600_000

export async function createSigner({
  fromMs = -hour,
  toMs = hour,
  keyType = 'rsa' as 'rsa' | 'ec',
} = {}): Promise<Signer> {
  const { cert, private: pem } = await generate([{ name: 'commonName', value: 'sns.example' }], {
    keyType,
    keySize: 2048,
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + fromMs),
    notAfterDate: new Date(Date.now() + toMs),
  })
  const key = createPrivateKey(pem)
  return {
    certificate: cert,
    sign(fields, version = '2') {
      const names =
        fields.Type === 'Notification'
          ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
          : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
      const lines = names.filter((name) => fields[name] !== undefined).flatMap((name) => [name, fields[name], ''])
      const text = lines.reduce<string>((sum, line, at) => (at % 3 === 2 ? sum : `${sum}${line}\n`), '')
      return sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(text), key).toString('base64')
    },
  }
}

/** A stand-in for Amazon SNS: serves certificates and confirms subscriptions. */
export interface StandInSns extends Signer {
  origin: string
  certificateUrl: string
  /** Requested paths, in order. */
  asked: string[]
  /** Handles the next requests; by default serves the certificate or confirms. */
  answer: (response: ServerResponse, path: string) => void
  /** Restores the default behaviour. */
  reset(): void
  /** A signed message; `undefined` omits a field; `after` changes fields after signing. */
  message(fields?: Fields, after?: Fields): Fields
  stop(): Promise<void>
}

export async function startSns(): Promise<StandInSns> {
  const signer = await createSigner()
  const asked: string[] = []
  const usual: StandInSns['answer'] = (response, path) => {
    if (path.endsWith('.pem')) response.end(signer.certificate)
    else response.end('<ConfirmSubscriptionResponse/>')
  }
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    sns.answer(response, url.split('?')[0]!)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sns: StandInSns = {
    ...signer,
    origin,
    certificateUrl: `${origin}/SimpleNotificationService-1.pem`,
    asked,
    answer: usual,
    reset() {
      sns.answer = usual
      asked.length = 0
    },
    message(fields = {}, after = {}) {
      const { SignatureVersion = '2', ...rest } = fields
      const subscription = { SubscribeURL: `${origin}/?Action=ConfirmSubscription&Token=t`, Token: 't' }
      const signed: Fields = {
        Type: 'Notification',
        MessageId: crypto.randomUUID(),
        TopicArn: topicArn,
        Message: 'Hello',
        Timestamp: new Date().toISOString(),
        ...(rest.Type === undefined || rest.Type === 'Notification' ? {} : subscription),
        ...rest,
      }
      return {
        ...signed,
        SignatureVersion,
        Signature: signer.sign(signed, SignatureVersion),
        SigningCertURL: sns.certificateUrl,
        ...after,
      }
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return sns
}
