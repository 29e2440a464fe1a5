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
  /** Origins trusted like SNS hosts, for development. */
  origins: readonly string[]
  log: Logger
}

/** SES events, signed and delivered by SNS. */
export const sesReceiver = defineReceiver({
  channel: 'email',
  // Comma-separated: all values of credentials are strings.
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
        'Comma-separated origins trusted for certificates and subscriptions like the hosts of Amazon SNS; for development only',
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
      if (!account) throw new Problem('not_found', 'No email provider has this id')
      return receiveEvent(state, account, body)
    },
  }
}

/**
 * Anyone can have SNS sign messages of their own topic, so only topics of the account are trusted. Checked first,
 * because it is cheapest.
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
  const reports = envelope.Type === 'Notification' ? readSesEvent(envelope.Message) : []
  if (reports.length === 0) {
    // Repeating it would not help.
    log.info({ ...line, type: envelope.Type }, 'SNS message without receipt')
    return { reports: [], answer: { status: 'ignored' } }
  }
  // SNS repeats a message under its own id. SES may report an event twice, which dispatch tolerates.
  return {
    reports: reports.map((report) => ({
      type: 'receipt',
      account,
      callbackId: report.copy ? `${envelope.MessageId} ${report.copy}` : envelope.MessageId,
      ...report,
    })),
    answer: { status: 'recorded' },
  }
}

function requireTopic({ topicArns }: ReceivingAccount, topicArn: string): void {
  if (topicArns.includes(topicArn)) return
  throw new Problem('invalid_signature', 'TopicArn is not among the topic_arns of this provider')
}
