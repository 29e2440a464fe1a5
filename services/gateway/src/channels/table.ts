import type { Channel } from '@notify/contracts'
import type { AttemptReader } from './attempt-reader.ts'
import { webhookAttempts } from './webhook.ts'

/** The channels whose attempts another service than dispatch keeps. */
export const attemptReaders: Readonly<Partial<Record<Channel, AttemptReader>>> = { webhook: webhookAttempts }
