import { z } from 'zod'

/** The environment of kinds whose only variable is that of development. */
export const standInEnvironment = {
  CARRIER_STAND_IN_URL: z
    .url()
    .optional()
    .describe('Base URL of stand-ins for the APIs of carriers, each below its own path; for development only'),
}
export type StandInEnvironment = z.output<z.ZodObject<typeof standInEnvironment>>
