import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  GetEmailIdentityCommand,
  PutEmailIdentityDkimSigningAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  type SESv2Client,
} from '@aws-sdk/client-sesv2'
import { mailFromOf } from './domain-records.ts'
import type { Identity } from './identity-store.ts'

/**
 * Brings a domain and our key to an SES account (BYODKIM), or away from it; what is done already is not done again.
 * @throws Error of the SDK, or one that says in whose hands the domain is there
 */
export async function syncIdentity(client: SESv2Client, identity: Identity): Promise<void> {
  const { domain, selector, key, account } = identity
  if (!key) return removeIdentity(client, domain, selector)
  await putKey(client, domain, selector, key)
  if (key.mailFromRegion !== null && key.mailFromRegion !== account.region) return
  await client.send(
    new PutEmailIdentityMailFromAttributesCommand({
      EmailIdentity: domain,
      MailFromDomain: mailFromOf(domain),
      BehaviorOnMxFailure: 'USE_DEFAULT_VALUE',
    }),
  )
}

async function putKey(
  client: SESv2Client,
  domain: string,
  selector: string,
  { privateKey, proven }: NonNullable<Identity['key']>,
): Promise<void> {
  const attributes = { DomainSigningSelector: selector, DomainSigningPrivateKey: privateKey }
  try {
    await client.send(new CreateEmailIdentityCommand({ EmailIdentity: domain, DkimSigningAttributes: attributes }))
    return
  } catch (error) {
    if (!isNamed(error, 'AlreadyExistsException')) throw error
  }
  if (await hasKey(client, domain, selector)) return
  // Several tenants may send over one account: until the domain is proven, the key of another one stays.
  if (!proven) {
    throw new Error('the account has this domain with another key; ours replaces it once the domain is verified')
  }
  await client.send(
    new PutEmailIdentityDkimSigningAttributesCommand({
      EmailIdentity: domain,
      SigningAttributesOrigin: 'EXTERNAL',
      SigningAttributes: attributes,
    }),
  )
}

/** Removes the domain from the account, unless it bears another key than ours by now. */
async function removeIdentity(client: SESv2Client, domain: string, selector: string): Promise<void> {
  try {
    if (!(await hasKey(client, domain, selector))) return
    await client.send(new DeleteEmailIdentityCommand({ EmailIdentity: domain }))
  } catch (error) {
    if (!isNamed(error, 'NotFoundException')) throw error
  }
}

/** Of a domain with a key of its owner, SES tells the selector among its tokens. */
async function hasKey(client: SESv2Client, domain: string, selector: string): Promise<boolean> {
  const { DkimAttributes } = await client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }))
  return DkimAttributes?.Tokens?.includes(selector) ?? false
}

function isNamed(error: unknown, name: string): boolean {
  return (error as Error).name === name
}
