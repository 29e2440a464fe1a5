import { z } from 'zod'

export const sesEnvironment = {
  SES_API_URL: z
    .url()
    .optional()
    .describe("Base URL of the Amazon SES API. Default: the endpoint of the provider's region"),
}
export type SesEnvironment = z.output<z.ZodObject<typeof sesEnvironment>>
