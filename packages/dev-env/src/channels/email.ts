import type { DemoChannel } from './demo-channel.ts'

/** The demo's SES account: this configuration set publishes the events of its emails to this topic. */
export const emailEvents = {
  region: 'us-east-1',
  configurationSet: 'email-events',
  topicArn: 'arn:aws:sns:us-east-1:123456789012:email-events',
} as const

export const email: DemoChannel<'email'> = {
  accounts: (state) => [
    {
      provider_id: state.ses_provider_id,
      kind: 'ses',
      name: 'Amazon SES (sandbox)',
      priority: 1,
      credentials: {
        region: emailEvents.region,
        access_key_id: state.ses_access_key_id,
        secret_access_key: state.ses_secret_access_key,
        from: 'no-reply@demo-shop.example',
        from_name: 'Demo Shop',
        configuration_set: emailEvents.configurationSet,
        topic_arns: emailEvents.topicArn,
      },
    },
  ],
  events: [
    {
      event_key: 'invoice.ready',
      name: 'Invoice ready',
      status: 'published',
      template: {
        subject: 'Your invoice for order {{order}}',
        body: 'Hi {{name}},\n\nthe invoice for your order {{order}} is ready.\n\nDemo Shop',
        html_body: '<p>Hi {{name}},</p><p>the invoice for your order <strong>{{order}}</strong> is ready.</p>',
      },
    },
    {
      event_key: 'offers.weekly',
      name: 'Offers of the week',
      status: 'published',
      topic: 'weekly-offers',
      template: {
        subject: 'This week for you, {{name}}',
        body: 'Hi {{name}},\n\n{{offer}}.\n\nDemo Shop\nUnsubscribe: {{unsubscribe_url}}',
        html_body: '<p>Hi {{name}},</p><p>{{offer}}.</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>',
      },
    },
  ],
}
