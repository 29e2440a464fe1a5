export { type FormerFields, type FormerSecret, formerFieldsOf, formerSecretsOf } from './former-secrets.ts'
export { newWebhookSecret, readWebhookSecret, signWebhook, type WebhookMessage } from './sign-webhook.ts'
