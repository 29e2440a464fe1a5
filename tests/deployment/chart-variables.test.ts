import { describe, expect, test } from '@jest/globals'
import { toolPath } from '../../scripts/kubernetes-tools.ts'
import { type Container, containerOf, named, renderChart, workloadsOf } from './chart.ts'
import { ofKind } from './manifests.ts'
import { readText, services } from './project.ts'

interface Declared {
  enum?: string[]
  pattern?: string
}

/** A value that the schema accepts and that is no default. */
function sampleOf({ enum: choices, pattern = '' }: Declared): string {
  if (choices) return choices.at(-2)!
  return ['sample', '7', 'nats://sample:4222', 'eu7'].find((text) => new RegExp(pattern).test(text))!
}

const describeWithHelm = toolPath('helm') ? describe : describe.skip

describeWithHelm('variables of the chart', () => {
  test.each(['files', 'variables'])('with Secrets as %s, their optional keys reach servers and migrations', (as) => {
    const workloads = workloadsOf(renderChart({ secrets: { as } }))
    const readersOf = (name: string) => {
      const readers = workloads.flatMap(({ service, workload }) => {
        const found = containerOf(workload).env.find((variable) => variable.name === name)
        if (!found) return []
        expect(found.valueFrom).toEqual({ secretKeyRef: { name: service, key: name, optional: true } })
        return `${workload.kind}/${service}`
      })
      return [...new Set(readers)].sort()
    }
    const all = (...names: string[]) => names.flatMap((name) => [`Deployment/${name}`, `Job/${name}`]).sort()
    expect(readersOf('MIGRATION_DATABASE_URL')).toEqual(all(...services))
    expect(readersOf('HTTPS_PROXY')).toEqual(all('callbacks', 'dispatch', 'gateway'))
  })
  test('a variable of all services reaches every pod; only a value of the service itself replaces it', () => {
    const { properties } = JSON.parse(readText('charts/notify/values.schema.json'))
    const declared = Object.entries<Declared>(properties.configMaps.properties.shared.properties)
    const shared = Object.fromEntries(declared.map(([name, variable]) => [name, sampleOf(variable)]))
    expect(shared).toHaveProperty('DRAIN_DELAY')
    const own = { LOG_LEVEL: 'debug', DRAIN_DELAY: '11s', TRACE_SAMPLE_RATIO: '0.5' }
    const resources = renderChart({ configMaps: { shared, gateway: own }, services: { otp: { env: own } } })
    for (const { service, workload } of workloadsOf(resources)) {
      const { env, envFrom = [] } = containerOf(workload)
      const names = env.map(({ name }) => name)
      const given = Object.assign(
        {},
        ...envFrom.map(({ configMapRef: { name } }) => named(resources, `ConfigMap/${name}`).data),
        ...env.map(({ name, value }) => ({ [name]: value })),
      )
      const expected = { ...shared, ...(service === 'gateway' || service === 'otp' ? own : {}) }
      expect({ twice: names.filter((name, i) => names.indexOf(name) !== i), given }).toEqual({
        twice: [],
        given: expect.objectContaining(expected),
      })
    }
  })

  test('with credentials files of NATS every pod has one login, that of the file', () => {
    const resources = renderChart({ nats: { login: 'credentials' }, secrets: { as: 'variables' } })
    for (const { metadata, spec } of [...ofKind(resources, 'Deployment'), ...ofKind(resources, 'Job')]) {
      const { containers, volumes } = spec.template.spec
      const { env, volumeMounts } = containers.at(-1) as Container
      const secret = metadata.labels!['app.kubernetes.io/name']!
      const folder = `/run/secrets/notify/${secret}`
      expect(env.filter(({ name }) => /^NATS_(USER|PASSWORD|TOKEN|CREDS)/.test(name))).toEqual([
        { name: 'NATS_CREDS', value: `${folder}/NATS_CREDS` },
      ])
      expect(volumeMounts).toContainEqual({ name: `secret-${secret}`, mountPath: folder, readOnly: true })
      expect(volumes).toContainEqual({ name: `secret-${secret}`, secret: { secretName: secret } })
    }
    const { NATS_URL } = named(resources, 'ConfigMap/shared').data as { NATS_URL: string }
    expect(new URL(NATS_URL).username).toBe('')
  })
})
