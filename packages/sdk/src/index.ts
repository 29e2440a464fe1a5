export type { components, paths } from './api-types.ts'
export { type Client, type ClientOptions, createClient } from './create-client.ts'
export { NoAnswerError, Problem } from './problem.ts'
export { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts'
