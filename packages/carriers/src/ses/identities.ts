import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  PutEmailIdentityDkimSigningAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  type SESv2Client,
} from '@aws-sdk/client-sesv2'
import { DomainsUnmanaged } from '../domains-unmanaged.ts'
import type { DomainIdentities, DomainIdentity, Registration } from '../sender.ts'
import { createSesClient } from './client.ts'
import type { SesCredentials } from './credentials.ts'
import type { SesEnvironment } from './environment.ts'

type Sync = DomainIdentities<SesCredentials, SesEnvironment>['sync']
type Note = Parameters<Sync>[2]['note']

/** Email identities of SES accounts with our DKIM key (BYODKIM). An identity that the account had before is used, and never removed. */
export const sesIdentities: DomainIdentities<SesCredentials, SesEnvironment> = {
  regionOf: ({ region }) => region,
  async sync(credentials, identity, { timeoutMs, environment, note }) {
    const client = createSesClient(credentials, { endpoint: environment.SES_API_URL, timeoutMs })
    try {
      if (identity.key) return await register(client, credentials.region, { ...identity, key: identity.key }, note)
      if (identity.known?.isOurs) await removeIdentity(client, identity)
      return undefined
    } catch (error) {
      if (statusOf(error) === 403) throw new DomainsUnmanaged((error as Error).message, { cause: error })
      throw error
    } finally {
      client.destroy()
    }
  },
}

type Wanted = DomainIdentity & { key: NonNullable<DomainIdentity['key']> }

async function register(client: SESv2Client, region: string, wanted: Wanted, note: Note): Promise<Registration> {
  const { domain, selector, mailFrom, key, known } = wanted
  const found = await selectorsOf(client, domain)
  const hasOurKey = found?.includes(selector) ?? false
  if (!found) await addIdentity(client, wanted, note)
  else if (!hasOurKey) await replaceKey(client, wanted, note)
  if (key.mailFromRegion === null || key.mailFromRegion === region) {
    await client.send(
      new PutEmailIdentityMailFromAttributesCommand({
        EmailIdentity: domain,
        MailFromDomain: mailFrom,
        BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
      }),
    )
  }
  const { VerifiedForSendingStatus: verified = false } = await client.send(
    new GetEmailIdentityCommand({ EmailIdentity: domain }),
  )
  const isOurs = found ? hasOurKey && known?.isOurs === true : true
  return { verified, records: [], reference: domain, isOurs }
}

const signingAttributes = ({ selector, key }: Wanted) => ({
  DomainSigningSelector: selector,
  DomainSigningPrivateKey: key.privateKey,
})

/** Adds the identity. What is noted before stays, unless SES has certainly not added it. */
async function addIdentity(client: SESv2Client, wanted: Wanted, note: Note): Promise<void> {
  await note?.({ reference: null, isOurs: true })
  try {
    const DkimSigningAttributes = signingAttributes(wanted)
    await client.send(new CreateEmailIdentityCommand({ EmailIdentity: wanted.domain, DkimSigningAttributes }))
  } catch (error) {
    const status = statusOf(error)
    if (status !== undefined && status < 500) await note?.(wanted.known?.reference ? wanted.known : null)
    throw error
  }
}

async function replaceKey(client: SESv2Client, wanted: Wanted, note: Note): Promise<void> {
  // Tenants may share an account: until the domain is verified, another tenant's key stays.
  if (!wanted.key.proven) {
    throw new Error('the account has another DKIM key for this domain; it is replaced once the domain is verified')
  }
  // With our key, it would look like one that was added here.
  await note?.({ reference: wanted.domain, isOurs: false })
  await client.send(
    new PutEmailIdentityDkimSigningAttributesCommand({
      EmailIdentity: wanted.domain,
      SigningAttributesOrigin: 'EXTERNAL',
      SigningAttributes: signingAttributes(wanted),
    }),
  )
}

/** Removes the domain from the account, unless it has another key by now. */
async function removeIdentity(client: SESv2Client, { domain, selector }: DomainIdentity): Promise<void> {
  const found = await selectorsOf(client, domain)
  if (found?.includes(selector)) await client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }))
}

/** The tokens of the domain's identity, among which SES lists the selector of BYODKIM; undefined without an identity. */
async function selectorsOf(client: SESv2Client, domain: string): Promise<string[] | undefined> {
  try {
    const { DkimAttributes } = await client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }))
    return DkimAttributes?.Tokens ?? []
  } catch (error) {
    if ((error as Error).name === 'NotFoundException') return undefined
    throw error
  }
}

/** The HTTP status of SES's refusal; undefined without an answer. */
function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
}
