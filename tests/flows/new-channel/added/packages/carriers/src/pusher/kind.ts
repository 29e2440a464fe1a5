import { pushCallback } from '@notify/contracts'
import { z } from 'zod'
import type { SendingKind } from '../carrier-kind.ts'
import { pusherEnvironment } from './environment.ts'

export const PusherCredentials = z.strictObject({ token: z.string().min(8) })
export type PusherCredentials = z.output<typeof PusherCredentials>

export const pusher = {
  channel: 'push',
  credentials: PusherCredentials,
  loadSender: async () => (await import('./send.ts')).pusherSender,
  secrets: ['token'],
  callbackOf: () => pushCallback,
  environment: pusherEnvironment,
} as const satisfies SendingKind
