export { newWebhookSecret, readWebhookSecret, signWebhook, type WebhookMessage } from './sign-webhook.ts'
export { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'
