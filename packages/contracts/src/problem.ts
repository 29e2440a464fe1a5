import { z } from 'zod'

/** One invalid field of a request: its path, and what is wrong with it. */
export const FieldError = z.object({ path: z.string(), message: z.string() })
export type FieldError = z.infer<typeof FieldError>

/** RFC 9457 `application/problem+json` with the code at top level. */
export const ProblemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    errors: z.array(FieldError).optional(),
    attempts_remaining: z
      .int()
      .optional()
      .meta({ description: 'With `otp_invalid_code`: how many more codes may be tried' }),
    request_id: z.string().optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details with the error code at top level.' })
export type ProblemBody = z.infer<typeof ProblemBody>
