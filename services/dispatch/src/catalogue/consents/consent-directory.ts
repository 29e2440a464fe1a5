import { type ConsentAnswer, type ConsentSubject, checkConsents, type ServicePrincipal } from '@notify/contracts'
import { coalesce, createInternalClient, type SignPrincipal } from '@notify/service-kit'
import type { Config } from '../../config.ts'

/** Asks the consent service whether numbers may receive messages. */
export interface ConsentDirectory {
  /** @throws Problem `service_unavailable` when the consent service gives no answer */
  ask(subject: ConsentSubject): Promise<ConsentAnswer>
}

/** A context with it. */
export interface WithConsents {
  directory: { consents: ConsentDirectory }
}

const principal: ServicePrincipal = { kind: 'service', service: 'dispatch', permissions: ['consents:check'] }

/** Concurrent questions share a call. Answers are not cached, so a STOP counts at once. */
export function createConsentDirectory(
  { CONSENT_URL, CONSENT_TIMEOUT: timeoutMs }: Pick<Config, 'CONSENT_URL' | 'CONSENT_TIMEOUT'>,
  signPrincipal: SignPrincipal,
): ConsentDirectory {
  const client = createInternalClient(CONSENT_URL)
  const ask = coalesce<ConsentSubject, ConsentAnswer>({
    maxBatch: 512,
    maxInFlight: 4,
    async run(subjects) {
      const { consents } = await client.call(checkConsents, {
        principal: await signPrincipal(principal),
        body: { subjects: [...subjects] },
        timeoutMs,
      })
      return consents
    },
  })
  return { ask }
}
