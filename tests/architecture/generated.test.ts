import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { openApiDocument } from '@notify/contracts/openapi'
import { guidesFile } from '../../scripts/guides.ts'
import { variablesOf } from '../../scripts/service-declarations.ts'
import { readText, root, services } from './sources.ts'

type ServiceReadmes = () => Promise<Record<string, string>>
const generator = join(root, 'scripts', 'generate-service-readmes.mjs')
const { serviceReadmes } = (await import(generator)) as { serviceReadmes: ServiceReadmes }
const readmes = await serviceReadmes()

test('the committed OpenAPI document is the one that the contracts make', () => {
  expect(JSON.parse(readText('content/openapi.json'))).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
})

test('the guides that the gateway serves are those of the documents', () => {
  expect(readText('content/guides.json')).toBe(guidesFile())
})

test('every service has a README', () => {
  expect(Object.keys(readmes).sort()).toEqual(services.map((name) => `services/${name}/README.md`))
})

test.each(services)('the README of %s tells what its declarations say', (service) => {
  const path = `services/${service}/README.md`
  expect(readText(path)).toBe(readmes[path])
})

test.each(services)('the README of %s begins with what the service is for', (service) => {
  const [title, purpose = ''] = readText(`services/${service}/README.md`).split('\n\n')
  expect(title).toBe(`# ${service}`)
  expect(purpose.split(/\.\s|\.$/).filter((sentence) => sentence !== '').length).toBeGreaterThanOrEqual(2)
})

test.each(services)(
  'every variable of %s has a meaning, and its default is written as one would write it',
  async (service) => {
    for (const { name, meaning, fallback, required } of await variablesOf(service as never)) {
      expect([name, meaning]).toEqual([name, expect.stringMatching(/\S/)])
      expect(fallback ?? '').not.toMatch(/^\[object|function|undefined/)
      if (required) expect([name, fallback]).toEqual([name, undefined])
    }
  },
)
