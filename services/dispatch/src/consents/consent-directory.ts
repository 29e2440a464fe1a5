import { type ConsentAnswer, type ConsentSubject, checkConsents } from '@notify/contracts'
import { coalesce, createInternalClient } from '@notify/service-kit'

/** Whether numbers may be written to, as the consent service says at this moment. */
export interface ConsentDirectory {
  /** @throws Problem `service_unavailable` without an answer */
  ask(subject: ConsentSubject): Promise<ConsentAnswer>
}

/** Questions of the same moment are one call; nothing is remembered, since a STOP counts at once. */
export function createConsentDirectory(url: string, timeoutMs: number): ConsentDirectory {
  const client = createInternalClient(url)
  const ask = coalesce<ConsentSubject, ConsentAnswer>({
    maxBatch: 512,
    maxInFlight: 4,
    run: async (subjects) =>
      (await client.call(checkConsents, { body: { subjects: [...subjects] }, timeoutMs })).consents,
  })
  return { ask }
}
