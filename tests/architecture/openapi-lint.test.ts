import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import { Json } from '@stoplight/spectral-parsers'
import { oas } from '@stoplight/spectral-rulesets'

const file = join(import.meta.dirname, '..', '..', 'content', 'openapi.json')
const text = readFileSync(file, 'utf8')

/** Whom to write to depends on the installation. */
const ignored = ['contact-properties']

test('Redocly finds neither errors nor warnings in the OpenAPI file', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source: text, absoluteRef: file, config })
  expect(found.map(({ ruleId, message, location }) => [ruleId, location[0]?.pointer, message])).toEqual([])
})

test('Spectral finds neither errors nor warnings in the OpenAPI file, with every rule on', async () => {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[oas, 'all']] } as never)
  const found = await linter.run(new spectral.Document(text, Json, file))
  expect(found.filter(({ code }) => !ignored.includes(String(code))).map(({ code, path }) => [code, path])).toEqual([])
})
