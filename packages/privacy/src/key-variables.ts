import { z } from 'zod'
import { parseKeyRing } from './key-ring.ts'
import { parsedBy, parseKey } from './secret-config.ts'

/** A key in a service's configuration; describe what it is for. */
export const keyVariable = z.string().transform(parsedBy(parseKey))

/** The key ring in a service's configuration. */
export const keyRingVariable = z
  .string()
  .transform(parsedBy(parseKeyRing))
  .describe('Key ring: comma-separated `<key id>:<base64 of 32 bytes>`, current key first')
