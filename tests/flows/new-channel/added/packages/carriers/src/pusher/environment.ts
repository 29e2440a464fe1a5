import { z } from 'zod'

export const pusherEnvironment = {
  PUSHER_API_URL: z.url().default('https://push.example').describe('Base URL of the push service'),
}
export type PusherEnvironment = z.output<z.ZodObject<typeof pusherEnvironment>>
