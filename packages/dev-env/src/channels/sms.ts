import type { DemoChannel } from './demo-channel.ts'

export const sms: DemoChannel<'sms'> = {
  accounts: (state) => [
    {
      provider_id: state.twilio_provider_id,
      kind: 'twilio',
      name: 'Twilio (sandbox)',
      priority: 1,
      credentials: {
        account_sid: state.twilio_account_sid,
        auth_token: state.twilio_auth_token,
        from: '+15005550006',
      },
    },
  ],
  events: [
    {
      event_key: 'order.draft',
      name: 'Order received (draft)',
      status: 'draft',
      template: { body: 'Hi {{name}}, we have received your order {{order}}.' },
    },
  ],
}
