import { type SealedEventContract, SealedText, subjectOf } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import type { z } from 'zod'
import { readable } from './read-event.ts'

/**
 * Adds the sealed field to the payload of an event.
 * @param payload all other fields; the content is bound to the subject and the fields in `aad`
 */
export function sealEvent<S extends z.ZodType, Field extends string, Content extends z.ZodType>(
  keyRing: KeyRing,
  contract: SealedEventContract<S, Field, Content>,
  payload: Omit<z.output<S>, Field>,
  content: z.output<Content>,
): z.output<S> {
  const envelope = keyRing.encrypt(JSON.stringify(content), aadOf(contract, payload))
  return { ...payload, [contract.sealed.field]: SealedText.parse(envelope.toString('base64')) } as z.output<S>
}

/**
 * Opens the sealed field of an event.
 * @throws UnreadableError when the key is missing, it belongs to another event, or it does not match its schema
 */
export function openEvent<S extends z.ZodType, Field extends string, Content extends z.ZodType>(
  keyRing: KeyRing,
  contract: SealedEventContract<S, Field, Content>,
  payload: z.output<S>,
): z.output<Content> {
  const { field, content } = contract.sealed
  return readable('the sealed content cannot be decrypted or does not match its schema', () => {
    const envelope = Buffer.from((payload as Record<string, string>)[field]!, 'base64')
    return content.parse(JSON.parse(keyRing.decrypt(envelope, aadOf(contract, payload))))
  })
}

/** The AAD: `subject|field|…`. */
function aadOf(contract: SealedEventContract, payload: unknown): string {
  const values = payload as Record<string, string>
  return [subjectOf(contract, payload), ...contract.sealed.aad.map((field) => values[field])].join('|')
}
