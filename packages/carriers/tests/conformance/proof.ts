import { afterEach, expect, jest, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import type { Report } from '../../src/receiving.ts'
import { expectStorable } from './callbacks.ts'
import { type CarrierFixture, wanted } from './fixture.ts'
import type { CapturedCallback, TestAccount, World } from './world.ts'

type Proven = CarrierFixture & { proof: NonNullable<CarrierFixture['proof']> }

const refused = expect.objectContaining({ code: expect.stringMatching(/^(invalid_signature|not_found)$/) })
const strange = [
  '',
  'null',
  '7',
  '"text"',
  '[]',
  '{}',
  '[null,7,{}]',
  '{"a":',
  '['.repeat(10_000),
  'x'.repeat(1024 * 1024),
]

/** Only what the carrier has signed for this account counts, each once. */
export function testProof({ proof }: Proven, worldOf: () => World): void {
  const { secret, several, windowS, forgeries, signer, events = [] } = proof
  afterEach(() => {
    jest.restoreAllMocks()
  })

  /** A callback about a message of the first account, as its carrier signed it. */
  const capture = async (): Promise<CapturedCallback> => {
    const world = worldOf()
    const before = world.captured.length
    await world.send(wanted.delivered)
    return eventually(() => {
      expect(world.captured.length).toBeGreaterThan(before)
      return world.captured.at(-1)!
    })
  }

  test('a repeated callback has the same identity, so that it counts once', async () => {
    const world = worldOf()
    const callback = await capture()
    const [first, second] = [await world.receive(callback), await world.receive(callback)]
    expect(first.length).toBeGreaterThan(0)
    expect(second.map(identityOf)).toEqual(first.map(identityOf))
  })

  const usual = {
    'another body': ({ body, ...rest }: CapturedCallback) => ({
      ...rest,
      body: Buffer.concat([body, Buffer.from(' ')]),
    }),
  }
  test.each(Object.entries(forgeries ?? usual))('a callback with %s is refused', async (_what, forge) => {
    await expect(worldOf().receive(forge(await capture()))).rejects.toEqual(refused)
  })

  test('a callback of another account, or signed with a secret that was replaced, is refused', async () => {
    const world = worldOf()
    const [own, other] = world.accounts
    const callback = await capture()
    const replaced = secret ? { ...own.credentials, [secret]: other.credentials[secret]! } : other.credentials
    for (const credentials of [other.credentials, replaced])
      await expect(world.receive(callback, [{ ...own, credentials }])).rejects.toEqual(refused)
    await expect(world.receive(callback, [])).rejects.toEqual(refused)
  })

  if (secret && several) {
    test('while one secret replaces the other, both count', async () => {
      const world = worldOf()
      const [own, other] = world.accounts
      const [before, after] = [own.credentials[secret]!, other.credentials[secret]!]
      const both = several === true ? { [secret]: `${after},${before}` } : { [secret]: after, [several]: before }
      const rotating = { ...own, credentials: { ...own.credentials, ...both } }
      expect(world.carrier.credentials.safeParse(rotating.credentials).error).toBeUndefined()
      expect(await world.receive(await capture(), [rotating])).not.toEqual([])
    })
  }

  if (windowS !== undefined) {
    test('a signature counts for a while only, and not ahead of its time', async () => {
      const world = worldOf()
      const callback = await capture()
      const at = Date.now()
      const received = (offsetS: number) => {
        jest.spyOn(Date, 'now').mockReturnValue(at + offsetS * 1000)
        return world.receive(callback)
      }
      await expect(received(windowS + 5)).rejects.toEqual(refused)
      await expect(received(-windowS - 5)).rejects.toEqual(refused)
      expect(await received(windowS - 5)).not.toEqual([])
    })
  }

  if (!signer) return
  const signing = (): TestAccount => ({ id: worldOf().accounts[0].id, credentials: signer.credentials })
  const receiveSigned = async (body: string) => {
    const world = worldOf()
    const url = (await capture()).url
    return world.receive({ ...signer.sign(body, world.publicUrl + url), url }, [signing()])
  }

  test.each(strange.map((body) => [body.slice(0, 20), body]))(
    'a signed body %j that says nothing changes nothing',
    async (_start, body) => {
      const faulty = expect.objectContaining({
        code: expect.stringMatching(/^(invalid_json|validation_failed|invalid_signature)$/),
      })
      const received = await receiveSigned(body).catch((error: unknown) => error)
      expect([[], faulty]).toContainEqual(received)
    },
  )

  test('a failure with a long text is a receipt that can be stored, also when the cut splits a character', async () => {
    // The halves of a character are on both sides of each even position.
    const text = `x${'🎉'.repeat(600)}`
    const reports = await receiveSigned(JSON.stringify(signer.failure(text)))
    expect(reports).toMatchObject([{ type: 'receipt', reason: expect.stringMatching(/./) }])
    for (const report of reports) expectStorable(worldOf(), report)
  })

  test.each(events.map((one) => [...one] as const))('%s', async (_what, event, expected) => {
    const reports = await receiveSigned(JSON.stringify(event))
    expect(reports).toHaveLength(expected.length)
    expect(reports).toMatchObject(expected)
    for (const report of reports) if (report.type === 'receipt') expectStorable(worldOf(), report)
  })
}

/** What makes a report the same as another. */
function identityOf(report: Report): string {
  const { callbackId, provider_message_id, status } = report as Partial<Record<string, unknown>>
  return [report.type, report.account.id, callbackId ?? provider_message_id, status].join(' ')
}
