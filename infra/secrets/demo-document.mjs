import { makeId } from './identifiers.mjs'

const keyPermissions = [
  'notifications:send',
  'notifications:read',
  'otp:send',
  'otp:verify',
  'otp:custom_code',
  'inbox:token',
  'domains:manage',
  'webhooks:manage',
]

/**
 * What the installation starts with: a tenant with an application, a key, an event, and providers that send to the sandbox.
 * `providers` has the id and the credentials of each kind.
 */
export function makeDocument({ tenantId: tenant_id, apiKey, providers }) {
  const application_id = makeId('app')
  return {
    tenants: [{ tenant_id, name: 'Demo', rate_limit_per_second: null }],
    applications: [{ application_id, tenant_id, name: 'Demo Shop', allowed_origins: [] }],
    api_keys: [
      {
        key_id: apiKey.keyId,
        tenant_id,
        application_id,
        name: 'Demo',
        mode: 'live',
        permissions: keyPermissions,
        sha256: apiKey.sha256,
        rate_limit_per_second: null,
      },
    ],
    events: [
      {
        tenant_id,
        application_id,
        event_key: 'order.shipped',
        name: 'Order shipped',
        status: 'published',
        version: 1,
        allowed_channels: ['sms', 'email', 'whatsapp'],
        templates,
      },
    ],
    providers: providersOf(tenant_id, providers),
  }
}

const templates = {
  sms: { body: 'Hi {{name}}, your order {{order}} is on its way.' },
  email: {
    subject: 'Your order {{order}} is on its way',
    body: 'Hi {{name}},\n\nyour order {{order}} has left our warehouse.',
  },
  whatsapp: {
    template_name: 'order_update',
    language: 'en_US',
    category: 'utility',
    parameters: ['{{name}}', '{{order}}'],
  },
}

/** How the sandbox reports emails is as in docker-compose.yml. */
function providersOf(tenant_id, { twilio, ses, whatsapp }) {
  const events = { configuration_set: 'email-events', topic_arns: 'arn:aws:sns:us-east-1:123456789012:email-events' }
  const sender = { from: 'no-reply@demo-shop.example', from_name: 'Demo Shop' }
  const accounts = [
    ['sms', 'twilio', 'Twilio (sandbox)', twilio.id, { ...twilio.credentials, from: '+15005550006' }],
    ['email', 'ses', 'Amazon SES (sandbox)', ses.id, { region: 'us-east-1', ...ses.credentials, ...sender, ...events }],
    ['whatsapp', 'whatsapp_cloud', 'WhatsApp (sandbox)', whatsapp.id, whatsapp.credentials],
  ]
  return accounts.map(([channel, kind, name, provider_id, credentials]) => {
    return { provider_id, tenant_id, application_id: null, channel, kind, name, priority: 1, credentials }
  })
}
