import { z } from 'zod'

/** A variable that says how many messages of a lane one worker has in hand. */
export const concurrency = (fallback: number) => z.coerce.number().int().min(1).max(1000).default(fallback)
