import { expect, test } from '@jest/globals'
import type { Resource } from '../../scripts/render-kustomization.ts'
import { production } from './manifests.ts'
import { readText, services } from './project.ts'

const [, chapter] = /^## A release\n([\s\S]*?)^## /m.exec(readText('k8s/README.md'))!
const [whole, single] = [...chapter!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text!)

/** What each `kubectl apply` of the commands applies, up to the end of the migrations and after it. */
function applied(commands: string): { before: Resource[]; after: Resource[] } {
  const job = /^job='(.+)'$/m.exec(commands)?.[1] ?? ''
  const lines = commands.replaceAll('"$job"', job).split('\n')
  const migrated = lines.findLastIndex((line) => line.includes('wait --for=condition=complete'))
  const of = (some: string[]) =>
    some.flatMap((line) => {
      const [, quoted, plain = quoted] = /^kubectl apply -k \$overlay(?: -l (?:'([^']+)'|(\S+)))?/.exec(line) ?? [null]
      const isApply = line.startsWith('kubectl apply')
      return isApply ? production.filter(({ metadata }) => selects(plain ?? '', metadata.labels ?? {})) : []
    })
  return { before: of(lines.slice(0, migrated)), after: of(lines.slice(migrated)) }
}

/** As kubectl reads a label selector. */
function selects(selector: string, labels: Record<string, string>): boolean {
  const terms = selector.match(/[^,(]+(\([^)]*\))?/g) ?? []
  return terms.every((term) => {
    const [, key, operator, list] = /^(\S+) (in|notin) \((.+)\)$/.exec(term) ?? []
    if (key) return list!.split(/, */).includes(labels[key] ?? '') === (operator === 'in')
    if (term.startsWith('!')) return !(term.slice(1) in labels)
    const [name, value] = term.split('=')
    return labels[name!] === value
  })
}

const idsOf = (resources: Resource[]) => resources.map(({ kind, metadata }) => `${kind}/${metadata.name}`)

test('a release migrates every service before it replaces any server', () => {
  const { before, after } = applied(whole!)
  const kinds = new Set(before.map(({ kind }) => kind))
  expect([kinds.has('Deployment'), kinds.has('ConfigMap')]).toEqual([false, true])
  const migrations = services.map((service) => `Job/${service}-migration`)
  expect(idsOf(before)).toEqual(expect.arrayContaining(['Job/provision', ...migrations]))
  expect(new Set(idsOf(after))).toEqual(new Set(idsOf(production)))
})

test.each(services)(
  'a release of %s alone migrates it before it replaces its servers, and leaves the others alone',
  (service) => {
    const { before, after } = applied(single!.replaceAll('otp', service))
    expect(idsOf(before)).toContain('ConfigMap/shared')
    expect(idsOf(before).filter((id) => !id.startsWith('ConfigMap/'))).toEqual([`Job/${service}-migration`])
    const names = new Set(after.map(({ metadata }) => metadata.labels!['app.kubernetes.io/name']))
    expect([...names]).toEqual([service])
    const servers = production.filter(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.labels!['app.kubernetes.io/name'] === service,
    )
    expect(idsOf(after)).toEqual(expect.arrayContaining(idsOf(servers)))
  },
)
