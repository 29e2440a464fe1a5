import type { ServiceName } from '@notify/contracts'
import type { JWK } from 'jose'
import { z } from 'zod'
import { jsonText } from '../config.ts'
import { ownerOf } from './key-owner.ts'

/**
 * A variable with the key by which a service signs principals: a private ES256 JWK as JSON, whose `kid` begins with the
 * service's name.
 */
export function signingKey(service: ServiceName) {
  return jsonText(
    z
      .custom<JWK>((value) => (value as JWK | null)?.kty === 'EC', 'must be a private ES256 JWK')
      .refine(({ kid = service }) => ownerOf(kid) === service, `must have a kid that begins with ${service}`),
  )
}
