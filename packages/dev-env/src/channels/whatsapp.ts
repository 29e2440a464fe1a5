import type { DemoChannel } from './demo-channel.ts'

/** The sandbox has no rate. */
const rate_limit_per_second = null

export const whatsapp: DemoChannel<'whatsapp'> = {
  accounts: (state) => [
    {
      provider_id: state.meta_provider_id,
      kind: 'whatsapp_cloud',
      name: 'WhatsApp, shared app (sandbox)',
      priority: 1,
      rate_limit_per_second,
      credentials: {
        phone_number_id: state.meta_phone_number_id,
        business_account_id: state.meta_waba_id,
        access_token: state.meta_access_token,
      },
    },
    {
      provider_id: state.meta_own_provider_id,
      kind: 'whatsapp_cloud',
      name: 'WhatsApp, own app (sandbox)',
      priority: 2,
      rate_limit_per_second,
      credentials: {
        phone_number_id: state.meta_own_phone_number_id,
        business_account_id: state.meta_own_waba_id,
        access_token: state.meta_access_token,
        app_secret: state.meta_own_app_secret,
        verify_token: state.meta_own_verify_token,
      },
    },
  ],
  events: [
    {
      event_key: 'promo.pending',
      name: 'Promotion, its template still pending approval',
      status: 'published',
      topic: 'weekly-offers',
      template: { template_name: 'promo_spring', language: 'en_US', category: 'marketing', parameters: ['{{name}}'] },
    },
  ],
}
