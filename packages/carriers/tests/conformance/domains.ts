import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { type DomainIdentity, DomainsUnmanaged, sendingCarriers } from '../../src/sending.ts'
import { carrierBy, carrierThatAnswers } from './broken-carrier.ts'
import type { CarrierFixture } from './fixture.ts'
import type { World } from './world.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = {
  privateKey: privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
  mailFromRegion: null,
  proven: false,
}
const p = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

/** A domain is registered at the carrier, which says what it needs and whether it has seen it. */
export function testDomains({ kind }: CarrierFixture, worldOf: () => World): void {
  const { identities } = sendingCarriers[kind]!
  if (!identities) return
  const usesOurKey = identities.regionOf !== undefined

  const newDomain = (): DomainIdentity => {
    const domain = `mail.${randomBytes(6).toString('hex')}.example`
    return { domain, selector: 'ours', mailFrom: `bounce.${domain}`, key, known: null }
  }
  const sync = (...given: Parameters<World['syncDomain']>) => worldOf().syncDomain(...given)
  const publish = (records: readonly object[]) =>
    fetch(`${worldOf().sandbox.url}/dns`, { method: 'PUT', body: JSON.stringify({ records }) })

  test('a domain is registered once, its records are shown, and once they are published the carrier has verified it', async () => {
    const identity = newDomain()
    const first = (await sync(identity))!
    expect(first).toMatchObject({ verified: false, isOurs: true, reference: expect.stringMatching(/./) })
    const ours = { type: 'TXT', name: `ours._domainkey.${identity.domain}`, value: `v=DKIM1; k=rsa; p=${p}` }
    const records = usesOurKey ? [ours] : first.records
    expect(records.length).toBeGreaterThan(0)
    for (const { name } of records) expect(name.endsWith(`.${identity.domain}`) || name === identity.domain).toBe(true)
    for (const { seen } of first.records) expect(seen).toBe(false)
    const known = { reference: first.reference, isOurs: first.isOurs }
    expect(await sync({ ...identity, known })).toEqual(first)
    expect((await publish(records)).ok).toBe(true)
    const verified = (await sync({ ...identity, known }))!
    expect(verified).toMatchObject({ ...known, verified: true })
    for (const { seen } of verified.records) expect(seen).toBe(true)
    expect(verified.records.map(({ name, value }) => [name, value])).toEqual(
      first.records.map(({ name, value }) => [name, value]),
    )
    expect(await sync({ ...identity, key: undefined, known })).toBeUndefined()
    expect(await sync({ ...identity, key: undefined, known })).toBeUndefined()
    expect((await sync({ ...identity, known }))!.isOurs).toBe(true)
  })

  test('a domain that the account had before is used, and stays there when it is removed here', async () => {
    const identity = newDomain()
    const before = (await sync(identity))!
    const found = (await sync(identity))!
    expect(found).toEqual({ ...before, isOurs: false })
    const known = { reference: found.reference, isOurs: false }
    await sync({ ...identity, key: undefined, known })
    expect(await sync({ ...identity, known })).toEqual(found)
  })

  test('a domain whose addition was cut off is known as ours, and can be removed', async () => {
    const identity = newDomain()
    const noted: unknown[] = []
    const added = (await sync(identity, undefined, async (known) => void noted.push(known)))!
    const known = { reference: null, isOurs: true }
    expect(noted).toEqual([known])
    expect(await sync({ ...identity, known })).toEqual(added)
    expect(await sync({ ...identity, key: undefined, known })).toBeUndefined()
    const again = (await sync(identity))!
    expect(again.isOurs).toBe(true)
  })

  test('a domain that another account had before is used, and stays there, although we had added it to the former account', async () => {
    const identity = newDomain()
    const noted: unknown[] = []
    const theirs = (await sync({ ...identity, selector: 'theirs' }))!
    const former = { reference: usesOurKey ? theirs.reference : 'of another account', isOurs: true }
    const proven = { ...identity, key: { ...key, proven: true }, known: former }
    const found = (await sync(proven, undefined, async (known) => void noted.push(known)))!
    const known = { reference: found.reference, isOurs: false }
    expect(found).toMatchObject({ ...known, reference: theirs.reference })
    expect(noted).toEqual(usesOurKey ? [known] : [])
    await sync({ ...identity, key: undefined, known })
    expect(await sync({ ...identity, known })).toEqual(found)
  })

  test('a refused addition leaves what was known before, and none if nothing was', async () => {
    const noted: unknown[] = []
    // None of the account, in the form of each.
    const { url } = await carrierBy(({ method, url: asked = '' }, response) => {
      const isAlone = kind === 'mailgun' || kind === 'ses' || asked.endsWith('/former')
      const status = method !== 'GET' ? 400 : isAlone ? 404 : 200
      const exception = status === 404 ? 'NotFoundException' : 'BadRequestException'
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': exception })
        .end(`{"Domains":[],"data":[],"message":"${status}"}`)
    })
    const adding = { reference: null, isOurs: true }
    const former = { reference: 'former', isOurs: true }
    for (const known of [null, adding, former]) {
      const syncing = sync({ ...newDomain(), known }, url, async (known) => void noted.push(known))
      await expect(syncing).rejects.toThrow(/400/)
    }
    expect(noted).toEqual([adding, null, adding, null, adding, former])
  })

  test.each([401, 403])('%s to a call about domains says that the credentials may not manage them', async (status) => {
    if (usesOurKey && status === 401) return
    const { url } = await carrierThatAnswers({ status, body: { message: 'no' } })
    await expect(sync(newDomain(), url)).rejects.toBeInstanceOf(DomainsUnmanaged)
  })

  test('another refusal is an error with its status, and says nothing of the domain', async () => {
    const { url } = await carrierThatAnswers({ status: 429, body: { message: 'slowly' } })
    const fault: unknown = await sync(newDomain(), url).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(Error)
    expect(fault).not.toBeInstanceOf(DomainsUnmanaged)
  })
}
