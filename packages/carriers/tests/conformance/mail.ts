import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import type { Attachment } from '../../src/messages.ts'
import { markOf, recipientTag } from '../../src/recipient-mark.ts'
import { type CarrierFixture, wanted } from './fixture.ts'
import type { World } from './world.ts'

const salt = '0123456789abcdef'
const copies = {
  cc: [{ address: 'grace@example.com', name: 'Hopper, Grace' }, { address: 'bounce@example.net' }],
  bcc: [{ address: 'audit@example.com' }],
  recipientTag: recipientTag(salt, 'ada.lovelace@example.com'),
}
const envelope = {
  ...copies,
  reply_to: [{ address: 'help@example.com', name: 'Łukasz' }, { address: 'orders@example.com' }],
  headers: {
    'X-Order': 'A-1042',
    'Content-Language': 'pt-BR',
    'In-Reply-To': '<root@example.com>',
    'List-Id': '"Orders, shop" <orders.example.com>',
  },
}
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const attachments: Attachment[] = [
  {
    filename: 'Rechnung Größe.pdf',
    content_type: 'application/pdf',
    content: Buffer.from('%PDF-1.7\n\0\xff\r\n.\r\n', 'latin1'),
  },
  { filename: 'logo.png', content_type: 'image/png', content: png, content_id: 'logo' },
]

interface Logged {
  to: string
  text: string
  html?: string
  cc?: string[]
  bcc?: string[]
  reply_to?: string[]
  headers?: Record<string, string>
  attachments?: { filename: string; content_type: string; size: number; sha256: string; content_id?: string }[]
}

async function newest({ sandbox }: World): Promise<Logged[]> {
  const { items } = (await (await fetch(`${sandbox.url}/messages?limit=4`)).json()) as { items: Logged[] }
  return items
}

const lowerCased = (headers: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
const addressesIn = (mailboxes: string[] = []) => mailboxes.map((one) => /[^\s<>"]+@[^\s<>"]+/.exec(one)?.[0])

/** Mail as people send it: copies, answers to others, headers of the caller, files and inline images. */
export function testMail({ mode, reportsAreVague, proof }: CarrierFixture, worldOf: () => World): void {
  test('copies, addresses for answers and headers of the caller reach the carrier', async () => {
    const world = worldOf()
    const fields = { ...envelope, to_name: 'Lovelace, Ada', from_name: 'Łukasz’s shop' }
    expect(await world.send(wanted.delivered, { fields })).toMatchObject({ outcome: 'accepted' })
    const [logged, ...others] = await newest(world)
    expect(logged).toMatchObject({ to: 'ada.lovelace@example.com', text: expect.stringMatching(/^Hi\s*$/) })
    expect([addressesIn(logged!.cc), addressesIn(logged!.bcc), addressesIn(logged!.reply_to)]).toEqual([
      ['grace@example.com', 'bounce@example.net'],
      ['audit@example.com'],
      ['help@example.com', 'orders@example.com'],
    ])
    expect(lowerCased(logged!.headers)).toMatchObject(lowerCased(envelope.headers))
    expect(others.map(({ to }) => to)).toEqual(['grace@example.com', 'bounce@example.net', 'audit@example.com'])
  })

  test('files and inline images arrive byte for byte, with their names and types', async () => {
    const world = worldOf()
    const html = '<p>Hi <img src="cid:logo" alt="Logo"></p>'
    expect(await world.send(wanted.delivered, { fields: { html, attachments } })).toMatchObject({ outcome: 'accepted' })
    const [logged] = await newest(world)
    const hashed = attachments.map(({ content, filename, content_type, content_id }) => ({
      // An inline image may be named by its content id, and keep the ending of its name.
      ...(content_id === undefined ? { filename } : { content_id: expect.stringMatching(/^logo(?:\.png)?$/) }),
      content_type,
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    }))
    expect(logged).toMatchObject({ html: expect.stringContaining('cid:logo'), text: expect.stringMatching(/^Hi\s*$/) })
    const files = logged!.attachments?.toSorted(byType)
    expect(files).toMatchObject(hashed)
    expect(logged!.html).toContain(`cid:${files?.find((file) => file.content_id)?.content_id}"`)
  })

  test('7 MiB of files are taken', async () => {
    const content = Buffer.alloc(7 * 1024 * 1024, 'PDF ')
    const fields = { attachments: [{ filename: 'big.pdf', content_type: 'application/pdf', content }] }
    expect(await worldOf().send(wanted.delivered, { fields })).toMatchObject({ outcome: 'accepted' })
    expect((await newest(worldOf()))[0]!.attachments).toMatchObject([{ size: content.length }])
  })

  if (mode === 'test' || proof === null) return
  test('a copy that bounces is reported as that of its recipient, and not as the end of the message', async () => {
    const world = worldOf()
    const { correlation } = await world.send(wanted.delivered, { fields: { ...copies, to_name: 'Ada Lovelace' } })
    const receipts = () =>
      world.reports.flatMap((one) => (one.type === 'receipt' && one.attempt_id === correlation.attemptId ? [one] : []))
    const own = () => receipts().filter(({ copy }) => copy === undefined)
    const mark = markOf(salt, 'bounce@example.net')
    const bounced = reportsAreVague
      ? { status: 'undelivered' }
      : { status: 'undelivered', suppress: 'bounce', copy: mark }
    await eventually(() => {
      expect(receipts()).toContainEqual(expect.objectContaining(bounced))
      expect(own()).toContainEqual(expect.objectContaining({ status: 'delivered' }))
    })
    expect(own().filter(({ suppress }) => suppress !== undefined)).toEqual([])
    if (!reportsAreVague) expect(own().map(({ status }) => status)).not.toContain('undelivered')
    const identities = receipts().map(
      ({ callbackId, provider_message_id, status }) => `${callbackId ?? provider_message_id} ${status}`,
    )
    if (!reportsAreVague) expect(new Set(identities).size).toBe(identities.length)
    expect(JSON.stringify(receipts().map(({ account: _, ...receipt }) => receipt))).not.toMatch(/@example/)
  })
}

const byType = (a: { content_type: string }, b: { content_type: string }) =>
  a.content_type.localeCompare(b.content_type)
