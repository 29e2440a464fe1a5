import { cloudCallback, cloudVerification, sharedCloudCallback, sharedCloudVerification } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import { z } from 'zod'
import { secretsOf } from '../callback-proof.ts'
import {
  type Callback,
  type Claim,
  defineReceiver,
  type Received,
  type ReceivingAccount,
  type Report,
} from '../receiver.ts'
import { answerChallenge } from './challenge.ts'
import { readUpdate } from './read-update.ts'
import { requireSignature } from './signature.ts'
import { type Change, readChanges } from './update.ts'

/** The Meta app of numbers that have no app of their own. */
interface SharedApp {
  secrets: readonly string[]
  verifyToken: string | undefined
}

const signatureHeader = 'x-hub-signature-256'

/** Webhooks of WhatsApp: JSON signed by the shared app or by a customer's own. */
export const metaReceiver = defineReceiver({
  channel: 'whatsapp',
  keep: z
    .object({
      phone_number_id: z.string(),
      business_account_id: z.string(),
      app_secret: z.string().optional(),
      verify_token: z.string().optional(),
    })
    .transform(({ phone_number_id, business_account_id, app_secret, verify_token }) => ({
      accountId: phone_number_id,
      parentId: business_account_id,
      secret: app_secret,
      verifyToken: verify_token,
    })),
  environment: {
    SERVICE_CLOUD_APP_SECRET: z
      .string()
      .optional()
      .describe('Secret of the Meta app that signs the shared webhook, and after a comma those of other cells'),
    SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN: z
      .string()
      .optional()
      .describe('Verify token of the shared webhook: any text, the same as in the dashboard of Meta'),
  },
  start: ({ environment }): SharedApp => ({
    secrets: secretsOf(environment.SERVICE_CLOUD_APP_SECRET ?? ''),
    verifyToken: environment.SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN,
  }),
  endpoints: [
    { contract: sharedCloudCallback, open: openShared },
    { contract: sharedCloudVerification, open: verifyShared },
    { contract: cloudCallback, open: openOwn },
    { contract: cloudVerification, open: verifyOwn },
  ],
})

/** Posts of the shared app count only for providers that have no app of their own. */
function openShared({ secrets }: SharedApp, { body, headers }: Callback): Claim {
  if (secrets.length === 0)
    throw new Problem('not_found', 'This installation has no shared app: SERVICE_CLOUD_APP_SECRET is not set')
  const secret = requireSignature(secrets, body, headers[signatureHeader])
  const changes = readChanges(body)
  return {
    of: accountsIn(changes),
    receive: (accounts) => received(readUpdate(changes, accounts.filter(isOfSharedApp), secret)),
  }
}

const accountsIn = (changes: readonly Change[]) => ({
  accountIds: distinct(changes.map(({ value }) => value.metadata?.phone_number_id)),
  parentIds: distinct(changes.map(({ businessAccountId }) => businessAccountId)),
})

const isOfSharedApp = (account: ReceivingAccount) => account.secret === null

/**
 * Posts of a customer's own app count for that provider, and for the tenant's other numbers of the same app: an app has one
 * callback URL, and Meta posts preferences and changes of templates nowhere else.
 */
function openOwn(_: SharedApp, { body, headers, params }: Callback): Claim {
  return {
    of: { providerId: params.provider_id ?? '' },
    async receive([account], find) {
      if (!account?.secret) throw notOwn()
      requireSignature([account.secret], body, headers[signatureHeader])
      const changes = readChanges(body)
      const { id, tenantId, secret } = account
      const named = (await find?.(accountsIn(changes))) ?? []
      const others = named.filter((one) => one.id !== id && one.tenantId === tenantId && one.secret === secret)
      // Of two providers with the number of this URL, this one counts.
      return received(readUpdate(changes, [...others, account], secret))
    },
  }
}

function verifyShared({ verifyToken }: SharedApp, { url }: Callback): Claim {
  return { of: { accountIds: [], parentIds: [] }, receive: () => answerChallenge(verifyToken, url) }
}

function verifyOwn(_: SharedApp, { url, params }: Callback): Claim {
  return {
    of: { providerId: params.provider_id ?? '' },
    receive([account]) {
      if (!account) throw notOwn()
      return answerChallenge(account.verifyToken, url)
    },
  }
}

const notOwn = () => new Problem('not_found', 'No WhatsApp provider with its own app has this id')

const distinct = (ids: readonly (string | undefined)[]) => [...new Set(ids.filter((id) => id !== undefined))]

const received = (reports: readonly Report[]): Received => ({
  reports,
  answer: { status: reports.length > 0 ? 'recorded' : 'ignored' },
})
