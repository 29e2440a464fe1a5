import { type emailCallback as contract, type Receipt, receiptReceived } from '@notify/contracts'
import { type Handler, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import type { EmailProvider } from '../providers/email-providers.ts'
import { callbackOf } from '../records/callback-store.ts'
import { confirmSubscription } from '../sns/confirm-subscription.ts'
import { readEnvelope } from '../sns/read-envelope.ts'
import { verifyEnvelope } from '../sns/verify-envelope.ts'
import { readSesEvent } from './read-ses-event.ts'

/**
 * Takes SES events from SNS. Anybody can have SNS sign a message on a topic of their own, so a topic counts only when the
 * provider names it; that is asked first, for it costs nothing.
 */
export const receiveEmailEvent: Handler<Context, typeof contract> = async (context, { params, body, span }) => {
  const { directory, config, metrics, log } = context
  const origins = config.SNS_CERTIFICATE_HOSTS
  const provider = await directory.email.find(params.provider_id)
  if (!provider) throw new Problem('not_found', 'There is no email provider with this id')
  const envelope = readEnvelope(body)
  requireTopic(provider, envelope.TopicArn)
  await verifyEnvelope(envelope, directory.certificates, origins)
  const line = { provider_id: provider.id, topic_arn: envelope.TopicArn, sns_message_id: envelope.MessageId }
  if (envelope.Type === 'SubscriptionConfirmation') {
    await confirmSubscription(envelope.SubscribeURL, origins, log)
    log.info(line, 'subscription confirmed')
    return { status: 'confirmed' }
  }
  const report = envelope.Type === 'Notification' ? readSesEvent(envelope.Message) : undefined
  if (!report) {
    // A repetition would not make it readable.
    log.info({ ...line, type: envelope.Type }, 'a message of SNS gives no receipt')
    metrics.received('email', 'ignored')
    return { status: 'ignored' }
  }
  // SNS brings a trace of its own at most: what follows belongs to that of the message.
  const { traceparent = span.traceparent, ...reported } = report
  const receipt: Receipt = {
    channel: 'email',
    provider_id: provider.id,
    ...reported,
    received_at: new Date().toISOString(),
  }
  span.set({
    'receipt.status': receipt.status,
    ...(receipt.notification_id ? { 'notification.id': receipt.notification_id } : {}),
  })
  // SNS repeats a message under its own id; SES may say the same of a message twice, which dispatch does not mind.
  const identity = {
    provider_id: provider.id,
    provider_message_id: envelope.MessageId,
    status: receipt.status,
  }
  const isNew = await context.record(callbackOf(identity, receiptReceived, receipt, traceparent))
  metrics.received('email', isNew ? 'recorded' : 'repeated')
  return { status: 'recorded' }
}

function requireTopic({ topicArns }: EmailProvider, topicArn: string): void {
  if (topicArns.includes(topicArn)) return
  throw new Problem('invalid_signature', 'TopicArn is not among the topic_arns of this provider')
}
