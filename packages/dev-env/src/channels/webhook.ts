import type { DemoChannel } from './demo-channel.ts'

export const webhook: DemoChannel<'webhook'> = {
  accounts: (state) => [
    {
      provider_id: state.webhook_provider_id,
      kind: 'webhook',
      name: 'Webhooks',
      priority: 1,
      // Short waits, so that a failing webhook is seen to fail soon.
      credentials: { secret: state.webhook_secret, retry_delays: '1s,2s,4s,8s' },
    },
  ],
}
