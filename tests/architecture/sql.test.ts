import { expect, test } from '@jest/globals'
import { schemaOf, serviceNames } from '@notify/contracts'
import { readText, sourcesOf } from './sources.ts'

const schemas = serviceNames.map(schemaOf).join('|')
/** Matches a schema-qualified relation after SQL keywords and query builder functions. */
const inSql = new RegExp(
  `\\b(?:from|join|into|update|table|references|using|on|truncate)\\s+"?(${schemas})"?\\."?[a-z_]`,
  'gi',
)
const inBuilder = new RegExp(`\\b\\w*(?:From|Into|Table|Join|with)\\(\\s*['"\`](${schemas})\\.`, 'g')
const switched = new RegExp(`\\b(?:withSchema\\(\\s*['"\`]|search_path\\s*(?:=|to)\\s*)(${schemas})\\b`, 'gi')

/** The schemas in a text's statements. */
const schemasIn = (text: string) =>
  [inSql, inBuilder, switched].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, schema = '']) => schema.toLowerCase()),
  )

test.each([
  ['select * from dispatch.notifications', ['dispatch']],
  ['insert into "gateway"."activity" select 1', ['gateway']],
  ['UPDATE inbox_stream.items set a = 1', ['inbox_stream']],
  ["db.selectFrom('consent.ledger as l').leftJoin('otp.codes', 'a', 'b')", ['consent', 'otp']],
  ["db.withSchema('callbacks')", ['callbacks']],
  ['set search_path = webhook_delivery', ['webhook_delivery']],
  [`select 'dispatch.notification.' || status from notifications`, []],
  ["dispatch.call(acceptNotifications, { subject: 'consent.granted' })", []],
])('the schemas named in %j are %j', (text, expected) => {
  expect(schemasIn(text)).toEqual(expected)
})

test.each(serviceNames)('%s names no other schema than its own', (service) => {
  const named = sourcesOf(`services/${service}`).flatMap((file) =>
    schemasIn(readText(file))
      .filter((schema) => schema !== schemaOf(service))
      .map((schema) => `${file}: ${schema}`),
  )
  expect(named).toEqual([])
})

test('the shared mechanisms name no schema at all', () => {
  const mechanisms = sourcesOf('packages/database').filter((file) => !/\/provision/.test(file))
  expect(mechanisms.flatMap((file) => schemasIn(readText(file)))).toEqual([])
})
