import { emailCallback } from '@notify/contracts'
import { type Logger, Problem } from '@notify/service-kit'
import { z } from 'zod'
import { type Callback, type Claim, defineReceiver, type Received, type ReceivingAccount } from '../receiver.ts'
import { type Certificates, createCertificates } from './certificates.ts'
import { confirmSubscription } from './confirm-subscription.ts'
import { readSesEvent } from './read-event.ts'
import { readEnvelope } from './sns-envelope.ts'
import { verifyEnvelope } from './verify-envelope.ts'

interface State {
  certificates: Certificates
  /** Origins that are trusted like SNS's own hosts, for development. */
  origins: readonly string[]
  log: Logger
}

/** Events of SES, which SNS signs and brings. */
export const sesReceiver = defineReceiver({
  channel: 'email',
  // Comma separated: the values of credentials are texts.
  keep: z.object({ topic_arns: z.string().default('') }).transform(({ topic_arns }) => ({
    topicArns: topic_arns
      .split(',')
      .map((arn) => arn.trim())
      .filter(Boolean),
  })),
  environment: {
    SNS_CERTIFICATE_HOSTS: z
      .string()
      .transform((text) => text.split(',').filter((origin) => origin.trim() !== ''))
      .pipe(
        z.array(
          z
            .string()
            .trim()
            .pipe(z.url())
            .transform((origin) => new URL(origin).origin),
        ),
      )
      .default([])
      .describe(
        "Origins, comma separated, that are trusted like Amazon SNS's own hosts with certificates and subscriptions; for development only",
      ),
  },
  start: ({ environment, log }): State => ({
    certificates: createCertificates(log),
    origins: environment.SNS_CERTIFICATE_HOSTS,
    log,
  }),
  endpoints: [{ contract: emailCallback, open: openEvent }],
})

function openEvent(state: State, { body, params }: Callback): Claim {
  return {
    of: { providerId: params.provider_id ?? '' },
    async receive([account]) {
      if (!account) throw new Problem('not_found', 'There is no email provider with this id')
      return receiveEvent(state, account, body)
    },
  }
}

/**
 * Anybody can have SNS sign a message on a topic of their own, so a topic counts only when the account names it; that is
 * asked first, for it costs nothing.
 */
async function receiveEvent(
  { certificates, origins, log }: State,
  account: ReceivingAccount,
  body: Buffer,
): Promise<Received> {
  const envelope = readEnvelope(body)
  requireTopic(account, envelope.TopicArn)
  await verifyEnvelope(envelope, certificates, origins)
  const line = { provider_id: account.id, topic_arn: envelope.TopicArn, sns_message_id: envelope.MessageId }
  if (envelope.Type === 'SubscriptionConfirmation') {
    await confirmSubscription(envelope.SubscribeURL, origins, log)
    log.info(line, 'subscription confirmed')
    return { reports: [], answer: { status: 'confirmed' }, handshake: true }
  }
  const report = envelope.Type === 'Notification' ? readSesEvent(envelope.Message) : undefined
  if (!report) {
    // A repetition would not make it readable.
    log.info({ ...line, type: envelope.Type }, 'a message of SNS gives no receipt')
    return { reports: [], answer: { status: 'ignored' } }
  }
  // SNS repeats a message under its own id; SES may say the same of a message twice, which dispatch does not mind.
  return {
    reports: [{ type: 'receipt', account, callbackId: envelope.MessageId, ...report }],
    answer: { status: 'recorded' },
  }
}

function requireTopic({ topicArns }: ReceivingAccount, topicArn: string): void {
  if (topicArns.includes(topicArn)) return
  throw new Problem('invalid_signature', 'TopicArn is not among the topic_arns of this provider')
}
