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

/** Email identities of SES accounts with our DKIM key (BYODKIM). */
export const sesIdentities: DomainIdentities<SesCredentials, SesEnvironment> = {
  regionOf: ({ region }) => region,
  async sync(credentials, identity, { timeoutMs, environment }) {
    const client = createSesClient(credentials, { endpoint: environment.SES_API_URL, timeoutMs })
    try {
      return await syncIdentity(client, credentials.region, identity)
    } catch (error) {
      const { message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } }
      if ($metadata?.httpStatusCode === 403) throw new DomainsUnmanaged(message, { cause: error })
      throw error
    } finally {
      client.destroy()
    }
  },
}

async function syncIdentity(
  client: SESv2Client,
  region: string,
  { domain, selector, mailFrom, key }: DomainIdentity,
): Promise<Registration | undefined> {
  if (!key) {
    await removeIdentity(client, domain, selector)
    return undefined
  }
  await putKey(client, domain, selector, key)
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
  return { verified, records: [], reference: domain, isOurs: true }
}

async function putKey(
  client: SESv2Client,
  domain: string,
  selector: string,
  { privateKey, proven }: NonNullable<DomainIdentity['key']>,
): Promise<void> {
  const attributes = { DomainSigningSelector: selector, DomainSigningPrivateKey: privateKey }
  try {
    await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain, DkimSigningAttributes: attributes }))
    return
  } catch (error) {
    if (!isNamed(error, 'AlreadyExistsException')) throw error
  }
  if (await hasKey(client, domain, selector)) return
  // Tenants may share an account: until the domain is verified, another tenant's key stays.
  if (!proven) {
    throw new Error('the account has another DKIM key for this domain; it is replaced once the domain is verified')
  }
  await client.send(
    new PutEmailIdentityDkimSigningAttributesCommand({
      EmailIdentity: domain,
      SigningAttributesOrigin: 'EXTERNAL',
      SigningAttributes: attributes,
    }),
  )
}

/** Removes the domain from the account, unless it has another key by now. */
async function removeIdentity(client: SESv2Client, domain: string, selector: string): Promise<void> {
  try {
    if (!(await hasKey(client, domain, selector))) return
    await client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }))
  } catch (error) {
    if (!isNamed(error, 'NotFoundException')) throw error
  }
}

/** For BYODKIM, SES lists the selector among the tokens. */
async function hasKey(client: SESv2Client, domain: string, selector: string): Promise<boolean> {
  const { DkimAttributes } = await client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }))
  return DkimAttributes?.Tokens?.includes(selector) ?? false
}

function isNamed(error: unknown, name: string): boolean {
  return (error as Error).name === name
}
