import { z } from 'zod'

/** The environment of kinds whose only variable is that of development. */
export const standInEnvironment = {
  CARRIER_STAND_IN_URL: z
    .url()
    .optional()
    .describe('Base URL of stand-ins for the APIs of carriers, each below its own path; for development only'),
}
export type StandInEnvironment = z.output<z.ZodObject<typeof standInEnvironment>>

/** Where the API of an account is: at the carrier, or at its stand-in. */
export function liveUrlOf<Credentials>(
  { standInPath, baseUrlOf }: { standInPath: string; baseUrlOf(credentials: Credentials): string },
  credentials: Credentials,
  { CARRIER_STAND_IN_URL: standIns }: StandInEnvironment,
): string {
  return standIns === undefined ? baseUrlOf(credentials) : standIns + standInPath
}
