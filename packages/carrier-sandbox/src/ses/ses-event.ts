import { randomUUID } from 'node:crypto'
import { awsAccountId, type SesCaller } from './account.ts'
import type { Step } from './deviations.ts'
import type { Email } from './email.ts'

/** A message that was taken. */
export interface SentEmail {
  caller: SesCaller
  email: Email
  messageId: string
  /** ISO 8601, UTC. */
  acceptedAt: string
  sourceIp: string
  configurationSet: string
}

const reportingMta = 'a8-31.smtp-out.amazonses.com'

/** What each step is called in `eventType`. */
const eventTypes = {
  sent: 'Send',
  delivered: 'Delivery',
  bounced: 'Bounce',
  softBounced: 'Bounce',
  complained: 'Complaint',
  delayed: 'DeliveryDelay',
  rejected: 'Reject',
} as const satisfies Record<Step, string>

/**
 * What SES publishes about one recipient of a message.
 * @see https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
export function sesEvent(sent: SentEmail, recipient: string, step: Step, now = new Date()) {
  const timestamp = now.toISOString()
  return { eventType: eventTypes[step], mail: mailOf(sent, step), ...details(step, sent, recipient, timestamp) }
}

function details(step: Step, { acceptedAt }: SentEmail, recipient: string, timestamp: string): Record<string, object> {
  const feedbackId = `0100${randomUUID()}-000000`
  switch (step) {
    case 'sent':
      return { send: {} }
    case 'delivered':
      return {
        delivery: {
          timestamp,
          processingTimeMillis: Math.max(0, Date.parse(timestamp) - Date.parse(acceptedAt)),
          recipients: [recipient],
          smtpResponse: '250 2.6.0 Message received',
          reportingMTA: reportingMta,
        },
      }
    case 'bounced':
    case 'softBounced':
      return { bounce: { ...bounceOf(step, recipient), timestamp, feedbackId, reportingMTA: `dns; ${reportingMta}` } }
    case 'complained':
      return {
        complaint: {
          complainedRecipients: [{ emailAddress: recipient }],
          timestamp,
          feedbackId,
          userAgent: 'Carrier sandbox feedback loop',
          complaintFeedbackType: 'abuse',
          arrivalDate: timestamp,
        },
      }
    case 'delayed':
      return {
        deliveryDelay: {
          timestamp,
          delayType: 'MailboxFull',
          expirationTime: new Date(Date.parse(timestamp) + 14 * 3_600_000).toISOString(),
          delayedRecipients: [
            {
              emailAddress: recipient,
              status: '4.2.2',
              diagnosticCode: `smtp; 452 4.2.2 <${recipient}>: mailbox full`,
            },
          ],
        },
      }
    case 'rejected':
      return { reject: { reason: 'Bad content' } }
  }
}

function bounceOf(step: 'bounced' | 'softBounced', recipient: string) {
  const [bounceType, bounceSubType, status, reply] =
    step === 'bounced'
      ? (['Permanent', 'General', '5.1.1', `550 5.1.1 <${recipient}>: user unknown`] as const)
      : (['Transient', 'MailboxFull', '4.2.2', `452 4.2.2 <${recipient}>: mailbox full`] as const)
  const bounced = { emailAddress: recipient, action: 'failed', status, diagnosticCode: `smtp; ${reply}` }
  return { bounceType, bounceSubType, bouncedRecipients: [bounced] }
}

function mailOf({ caller, email, messageId, acceptedAt, sourceIp, configurationSet }: SentEmail, step: Step) {
  const domain = email.fromAddress.slice(email.fromAddress.lastIndexOf('@') + 1)
  const tags = {
    'ses:configuration-set': [configurationSet],
    'ses:source-ip': [sourceIp],
    'ses:from-domain': [domain],
    'ses:caller-identity': ['carrier-sandbox'],
    ...(step === 'delivered' && { 'ses:outgoing-ip': ['198.51.100.1'] }),
    ...Object.fromEntries(Object.entries(email.tags).map(([name, value]) => [name, [value]])),
  }
  return {
    timestamp: acceptedAt,
    source: email.from,
    sourceArn: `arn:aws:ses:${caller.region}:${awsAccountId}:identity/${domain}`,
    sendingAccountId: awsAccountId,
    messageId,
    destination: email.destination,
    headersTruncated: false,
    headers: email.headers,
    commonHeaders: { from: [email.from], to: email.to, messageId, subject: email.subject },
    tags,
  }
}
