import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { toolPath } from '../../scripts/kubernetes-tools.ts'
import { type ApiServer, startApiServer } from './api-server.ts'
import { chartFolder } from './chart.ts'
import { ofKind } from './manifests.ts'
import { services } from './project.ts'

const describeWithHelm = toolPath('helm') ? describe : describe.skip
const run = promisify(execFile)

describeWithHelm('releases of the chart, by Helm against an API', () => {
  let server: ApiServer
  let folder: string
  let next: string

  beforeAll(async () => {
    server = await startApiServer()
    folder = mkdtempSync(join(tmpdir(), 'notify-test-chart-'))
    next = await packaged('1.1.0')
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function packaged(version: string): Promise<string> {
    const versions = ['--version', version, '--app-version', version]
    await run(toolPath('helm')!, ['package', chartFolder, ...versions, '--destination', folder])
    return join(folder, `notify-${version}.tgz`)
  }

  /** Runs Helm. @returns what changed in the cluster @throws Error with what Helm says */
  async function helm(...args: string[]): Promise<string[]> {
    server.changes.length = 0
    const env = {
      ...process.env,
      HELM_CACHE_HOME: folder,
      HELM_CONFIG_HOME: folder,
      KUBECONFIG: '/dev/null',
      GOGC: '400',
    }
    const cluster = ['--kube-apiserver', server.url, '--namespace', 'notify', '--timeout', '60s']
    await run(toolPath('helm')!, [...args, ...cluster], { env })
    return [...server.changes]
  }
  const upgrade = (chart: string) => helm('upgrade', '--install', 'notify', chart, '--disable-openapi-validation')

  const images = () =>
    new Set(
      ofKind(server.resources(), 'Deployment').map(({ spec }) => spec.template.spec.containers[0].image.split(':')[1]),
    )
  const migrationsOf = (version: string) =>
    services.map((service) => `create Job/${service}-migration-${version.replaceAll('.', '-')}`)

  /** Everything before the first change of anything but a Job. */
  function jobsBefore(changes: string[]): string[] {
    const first = changes.findIndex((change) => !change.includes(' Job/'))
    return changes.slice(0, first).filter((change) => change.startsWith('create'))
  }

  test('an installation provisions, migrates, and then makes everything else', async () => {
    const changes = await upgrade(chartFolder)
    expect(jobsBefore(changes)).toEqual(['create Job/provision-1-0-0', ...migrationsOf('1.0.0')])
    expect(changes).toEqual(expect.arrayContaining(['create Deployment/gateway', 'create ConfigMap/shared']))
    expect(ofKind(server.resources(), 'Job')).toEqual([])
  })

  test('an upgrade to the chart of the next release migrates before a server changes, and removes nothing', async () => {
    const changes = await upgrade(next)
    expect(jobsBefore(changes)).toEqual(['create Job/provision-1-1-0', ...migrationsOf('1.1.0')])
    expect(changes).toContain('change Deployment/gateway')
    expect(changes.filter((change) => /^delete (?!Job)/.test(change))).toEqual([])
    expect([...images()]).toEqual(['1.1.0'])
  })

  test('the same release can be reconciled again', async () => {
    const changes = await upgrade(next)
    expect(jobsBefore(changes)).toEqual(['create Job/provision-1-1-0', ...migrationsOf('1.1.0')])
    expect(changes.filter((change) => /^(create|delete) (?!Job)/.test(change))).toEqual([])
  })

  test('a migration that fails changes no server and keeps its Job, and the next attempt begins again', async () => {
    const later = await packaged('1.2.0')
    server.failJobs('otp-migration')
    await expect(upgrade(later)).rejects.toThrow('otp-migration-1-2-0')
    expect([...images()]).toEqual(['1.1.0'])
    expect(ofKind(server.resources(), 'Job').map(({ metadata }) => metadata.name)).toEqual(['otp-migration-1-2-0'])
    server.failJobs()
    const changes = await upgrade(later)
    expect(changes.indexOf('delete Job/otp-migration-1-2-0')).toBeLessThan(
      changes.indexOf('create Job/otp-migration-1-2-0'),
    )
    expect([...images()]).toEqual(['1.2.0'])
  })

  test('a rollback brings the servers of the release before, and migrates nothing', async () => {
    const changes = await helm('rollback', 'notify', '3')
    expect(changes.filter((change) => change.includes('Job/'))).toEqual([])
    expect([...images()]).toEqual(['1.1.0'])
  })
})
