export { newWebhookSecret, readWebhookSecret, signWebhook, type WebhookMessage } from './sign-webhook.ts'
