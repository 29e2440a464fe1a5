// Contracts of each release as files: packages/contracts/fixtures/<release>. Those of the current version are generated; at its
// release they stay as they are, and the next version gets its own.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type EventContract,
  KeyPermission,
  OperatorPermission,
  type Principal,
  ServicePermission,
} from '@notify/contracts'
import { allEvents } from '@notify/contracts/catalogue'
import { bodyDefaults, type Defaults } from './body-defaults.ts'
import { type JsonSchema, samplesOf } from './json-samples.ts'
import { type SealedFixture, sealedFixtures } from './sealed-fixtures.ts'

const root = join(import.meta.dirname, '..')
const fixtureFolder = 'packages/contracts/fixtures'

/** An event of a release with sample messages that cover every enum value. */
export interface EventFixture {
  publisher: string
  subject: string
  schema: JsonSchema
  samples: unknown[]
  /** The sealed field and its AAD. */
  sealed?: { field: string; aad: readonly string[] }
}

export interface Release {
  version: string
  events: Record<string, EventFixture>
  principals: Principal[]
  sealed: SealedFixture[]
  /** Those in bodies of POSTs, by route. */
  defaults: Record<string, Defaults>
}

/** The release of the working tree. */
export function currentRelease(): Release {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const declared = [...allEvents()].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    version,
    events: Object.fromEntries(declared.map(([name, event]) => [name, fixtureOf(event)])),
    principals: principals(),
    sealed: sealedFixtures(isKept(version) ? releaseOf(version).sealed : []),
    defaults: bodyDefaults(),
  }
}

/** All kept releases, including the current version. */
export function keptReleases(): Release[] {
  return readdirSync(join(root, fixtureFolder))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map(releaseOf)
}

const isKept = (version: string) => existsSync(join(root, fixtureFolder, version, 'sealed.json'))

function releaseOf(version: string): Release {
  const parts = ['events', 'principals', 'sealed', 'defaults'].map((name) => readJson(version, name))
  return Object.assign({ version }, ...parts) as Release
}

/** The files of the current version. */
export function fixtureFiles(): Record<string, string> {
  const { version, ...parts } = currentRelease()
  return Object.fromEntries(
    Object.entries(parts).map(([name, value]) => [
      `${fixtureFolder}/${version}/${name}.json`,
      `${JSON.stringify({ [name]: value }, null, 2)}\n`,
    ]),
  )
}

function readJson(version: string, name: string): object {
  return JSON.parse(readFileSync(join(root, fixtureFolder, version, `${name}.json`), 'utf8')) as object
}

function fixtureOf({ publisher, subject, schema, sealed }: EventContract): EventFixture {
  const declared = schema.toJSONSchema({ io: 'input' }) as JsonSchema
  const { field, aad } = sealed ?? {}
  return {
    publisher,
    subject,
    schema: declared,
    samples: samplesOf(declared),
    ...(field && aad ? { sealed: { field, aad } } : {}),
  }
}

function principals(): Principal[] {
  const id = '01jd3x8qk5w9t2m4v6b8n0p2r4'
  const tenant_id = `ten_${id}` as const
  return [
    ...(['live', 'test'] as const).map(
      (mode): Principal => ({
        kind: 'key',
        key_id: `key_${id}`,
        mode,
        tenant_id,
        application_id: `app_${id}`,
        permissions: [...KeyPermission.options],
      }),
    ),
    { kind: 'operator', subject: 'operator', tenant_id, permissions: [...OperatorPermission.options] },
    { kind: 'service', service: 'otp', permissions: [...ServicePermission.options] },
  ]
}
