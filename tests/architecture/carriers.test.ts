import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { kinds } from '@notify/carriers/kinds'
import { receivers } from '@notify/carriers/receiving'
import { root } from './sources.ts'

/** Files, including npm packages, that a fresh process loads with a module, and with what it does afterwards. */
function loadedBy(module: string, afterwards = ''): string[] {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    await import(process.argv[1])
    ${afterwards}
    console.log(JSON.stringify(loaded))`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script, join(root, module)], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return (JSON.parse(output) as string[]).filter((url) => url.startsWith('file:')).map((url) => url.split(root)[1]!)
}

const loadSenders = `
  const { sendingCarriers } = await import(${JSON.stringify(join(root, 'packages/carriers/src/sending.ts'))})
  for (const { load } of Object.values(sendingCarriers)) await load()`
const dispatch = loadedBy('services/dispatch/src/service.ts')
const sending = loadedBy('services/dispatch/src/service.ts', loadSenders)
const callbacks = loadedBy('services/callbacks/src/service.ts')
const halfOf = (half: 'send' | 'receive') => new RegExp(`^/packages/carriers/src/[^/]+/${half}\\.ts$`)

test('dispatch starts without a half of any carrier, and loads the sending halves of those in use alone', () => {
  expect(dispatch.filter((file) => halfOf('send').test(file))).toEqual([])
  expect(sending.filter((file) => halfOf('send').test(file))).toHaveLength(Object.keys(kinds).length)
  expect(sending.filter((file) => halfOf('receive').test(file))).toEqual([])
  expect(sending).not.toContain('/packages/carriers/src/receiving.ts')
})

test('callbacks loads receiving halves, no sending half and none of the SDKs that send', () => {
  expect(callbacks.filter((file) => halfOf('receive').test(file)).length).toBeGreaterThan(0)
  expect(callbacks.filter((file) => halfOf('send').test(file))).toEqual([])
  expect(callbacks).not.toContain('/packages/carriers/src/sending.ts')
  const sdks = callbacks.filter((file) => /node_modules\/(@aws-sdk|nodemailer|twilio)\//.test(file))
  // The signature check is a separate module.
  expect(sdks.filter((file) => !file.endsWith('/twilio/lib/webhooks/webhooks.js'))).toEqual([])
})

test('every kind that sends has a receiving half, or says that it has none', () => {
  const { webhook: _, ...receiving } = receivers
  expect(Object.keys(receiving).sort()).toEqual(Object.keys(kinds).sort())
})

test('a kind of carrier is a folder', async () => {
  const folders = readdirSync(join(root, 'packages/carriers/src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  const declared = await Promise.all(
    folders.map(async ({ name }) => Object.values(await import(`../../packages/carriers/src/${name}/kind.ts`))),
  )
  expect(new Set(declared.flat())).toEqual(new Set(Object.values(kinds)))
  expect(declared.map(({ length }) => length)).toEqual(folders.map(() => 1))
})
