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
