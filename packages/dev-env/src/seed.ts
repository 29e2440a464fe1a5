import { type BootstrapDocument, Channel, exampleTemplates, KeyPermission } from '@notify/contracts'
import type { State } from './state/state.ts'

const outOfTheWay = 100_000

/** The demo's SES account: this configuration set publishes the events of its emails to this topic. */
export const emailEvents = {
  region: 'us-east-1',
  configurationSet: 'email-events',
  topicArn: 'arn:aws:sns:us-east-1:123456789012:email-events',
} as const

/**
 * What the demo installation starts with: gateway and dispatch read it (BOOTSTRAP_FILE) and upsert the part that each
 * owns. It depends on the secrets and the ports only, so that every start writes the same.
 * @param shopOrigins origins of the demo shop's own pages
 */
export function bootstrapDocument(state: State, shopOrigins: readonly string[] = []): BootstrapDocument {
  const { tenant_id, application_id, keys } = state
  const allowed_origins = ['http://localhost:5173', ...shopOrigins]
  const key = (name: string, { key_id, sha256 }: State['keys']['all'], permissions: KeyPermission[]) => ({
    key_id,
    tenant_id,
    application_id,
    name,
    mode: 'live' as const,
    permissions,
    sha256,
    rate_limit_per_second: outOfTheWay,
  })
  return {
    tenants: [{ tenant_id, name: 'Demo', rate_limit_per_second: outOfTheWay }],
    applications: [{ application_id, tenant_id, name: 'Demo Shop', allowed_origins }],
    api_keys: [
      key('All permissions', keys.all, [...KeyPermission.options]),
      key('Send only', keys.send_only, ['notifications:send']),
      key('No permissions', keys.no_permissions, []),
    ],
    events: demoEvents.map((event) => ({ tenant_id, application_id, version: 1, ...event })),
    providers: [
      {
        provider_id: state.twilio_provider_id,
        tenant_id,
        application_id: null,
        channel: 'sms',
        kind: 'twilio',
        name: 'Twilio (sandbox)',
        priority: 1,
        credentials: {
          account_sid: state.twilio_account_sid,
          auth_token: state.twilio_auth_token,
          from: '+15005550006',
        },
      },
      {
        provider_id: state.ses_provider_id,
        tenant_id,
        application_id: null,
        channel: 'email',
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
      {
        provider_id: state.webhook_provider_id,
        tenant_id,
        application_id: null,
        channel: 'webhook',
        kind: 'webhook',
        name: 'Webhooks',
        priority: 1,
        // Short waits, so that a failing webhook is seen to fail soon.
        credentials: { secret: state.webhook_secret, retry_delays: '1s,2s,4s,8s' },
      },
      {
        provider_id: state.meta_provider_id,
        tenant_id,
        application_id: null,
        channel: 'whatsapp',
        kind: 'whatsapp_cloud',
        name: 'WhatsApp, shared app (sandbox)',
        priority: 1,
        credentials: {
          phone_number_id: state.meta_phone_number_id,
          business_account_id: state.meta_waba_id,
          access_token: state.meta_access_token,
        },
      },
      {
        provider_id: state.meta_own_provider_id,
        tenant_id,
        application_id: null,
        channel: 'whatsapp',
        kind: 'whatsapp_cloud',
        name: 'WhatsApp, own app (sandbox)',
        priority: 2,
        credentials: {
          phone_number_id: state.meta_own_phone_number_id,
          business_account_id: state.meta_own_waba_id,
          access_token: state.meta_access_token,
          app_secret: state.meta_own_app_secret,
          verify_token: state.meta_own_verify_token,
        },
      },
    ],
  }
}

type DemoEvent = Omit<BootstrapDocument['events'][number], 'tenant_id' | 'application_id' | 'version'>

const demoEvents: DemoEvent[] = [
  {
    event_key: 'order.shipped',
    name: 'Order shipped',
    status: 'published',
    allowed_channels: Channel.options,
    templates: exampleTemplates,
  },
  {
    event_key: 'promo.pending',
    name: 'Promotion, its template still pending approval',
    status: 'published',
    allowed_channels: ['whatsapp'],
    templates: {
      whatsapp: { template_name: 'promo_spring', language: 'en_US', category: 'marketing', parameters: ['{{name}}'] },
    },
  },
  {
    event_key: 'order.draft',
    name: 'Order received (draft)',
    status: 'draft',
    allowed_channels: ['sms'],
    templates: { sms: { body: 'Hi {{name}}, we have received your order {{order}}.' } },
  },
  {
    event_key: 'invoice.ready',
    name: 'Invoice ready',
    status: 'published',
    allowed_channels: ['email'],
    templates: {
      email: {
        subject: 'Your invoice for order {{order}}',
        body: 'Hi {{name}},\n\nthe invoice for your order {{order}} is ready.\n\nDemo Shop',
        html_body: '<p>Hi {{name}},</p><p>the invoice for your order <strong>{{order}}</strong> is ready.</p>',
      },
    },
  },
]
