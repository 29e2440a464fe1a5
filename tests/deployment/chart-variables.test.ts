import { describe, expect, test } from '@jest/globals'
import { toolPath } from '../../scripts/kubernetes-tools.ts'
import { containerOf, renderChart, workloadsOf } from './chart.ts'
import { services } from './project.ts'

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
})
