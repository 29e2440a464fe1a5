import { z } from 'zod'

export const metaEnvironment = {
  META_API_URL: z.url().default('https://graph.facebook.com').describe("Base address of Meta's Graph API"),
  META_API_VERSION: z
    .string()
    .regex(/^v\d{1,3}\.\d$/, 'must be a version such as v23.0')
    .default('v23.0')
    .describe('Version of the Graph API'),
}
export type MetaEnvironment = z.output<z.ZodObject<typeof metaEnvironment>>
