import { createHash } from 'node:crypto'
import { type Channel, carrierCallback } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import {
  type Callback,
  defineReceiver,
  type KeptAccount,
  type Received,
  type ReceiverOptions,
  type ReceivingAccount,
  type Report,
} from './receiver.ts'

/** An account with the secret that proves its callbacks. */
export type ProvingAccount = ReceivingAccount & { secret: string }

interface OwnReceiver<State> {
  channel: Channel
  keep: z.ZodType<KeptAccount>
  start?(options: ReceiverOptions<object>): State
  /** Verifies and reads a callback. @throws Problem `invalid_signature` or `invalid_json` */
  read(account: ProvingAccount, callback: Callback, state: State): readonly Report[]
  /** The token of a verified callback, where the carrier signs that and not the body. */
  tokenOf?(callback: Callback): string
}

/** The receiving half of a kind whose carrier calls an address of the provider's own. */
export function defineOwnReceiver<State = undefined>({ channel, keep, start, read, tokenOf }: OwnReceiver<State>) {
  return defineReceiver({
    channel,
    keep,
    environment: {},
    start: (options): State => start?.(options) as State,
    endpoints: [
      {
        contract: carrierCallback,
        open: (state, callback) => ({
          of: { providerId: callback.params.provider_id ?? '' },
          receive([account]): Received {
            if (!account?.secret) throw new Problem('not_found', 'No provider with a secret for callbacks has this id')
            const reports = read(account as ProvingAccount, callback, state)
            const answer = { status: reports.length > 0 ? 'recorded' : 'ignored' }
            if (!tokenOf) return { reports, answer }
            const digest = createHash('sha256').update(callback.body).digest()
            return { reports, answer, token: { accountId: account.id, token: tokenOf(callback), digest } }
          },
        }),
      },
    ],
  })
}

/** Keeps the one field that proves callbacks. */
export function secretIn(field: string): z.ZodType<KeptAccount> {
  return z.object({ [field]: z.string().optional() }).transform((credentials) => ({ secret: credentials[field] }))
}
