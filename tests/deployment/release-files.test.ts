import { execFile, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { toolPath } from '../../scripts/kubernetes-tools.ts'
import { publishedPackages, releasedImages } from '../../scripts/release/artifacts.ts'
import { publishingCommands } from '../../scripts/release/publishing.ts'
import { faultsOfRelease } from '../../scripts/release/readiness.ts'
import { readText, root, services } from './project.ts'

const run = promisify(execFile)
const { version } = JSON.parse(readText('package.json')) as { version: string }
const folder = mkdtempSync(join(tmpdir(), 'notify-test-release-'))
const files = join(folder, 'files')
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keyFile = join(folder, 'key.pem')
const publicKeyFile = join(folder, 'key.pub')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const release = (args: string[], env: Record<string, string> = {}) =>
  run(process.execPath, [join(root, 'scripts/release.ts'), ...args], { cwd: root, env: { ...process.env, ...env } })
const verify = (publicKey = publicKeyFile) => release(['verify', files], { RELEASE_PUBLIC_KEY_FILE: publicKey })

const describeWithHelm = toolPath('helm') ? describe : describe.skip

describeWithHelm('the files of a release', () => {
  let said: string

  beforeAll(async () => {
    writeFileSync(keyFile, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(publicKeyFile, keys.publicKey.export({ type: 'spki', format: 'pem' }))
    const workflow = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'example/notify' }
    said = (await release([], { RELEASE_FOLDER: files, RELEASE_KEY_FILE: keyFile, ...workflow })).stdout
  })

  test('are the chart, the packages, the description of the API, and an SBOM for each', () => {
    const boms = [...services, ...publishedPackages, 'console'].map((name) => `notify-${name}.cdx.json`)
    const packages = publishedPackages.map((name) => `notify-${name}-${version}.tgz`)
    const made = [`notify-${version}.tgz`, ...packages, 'openapi.json', 'chart.cdx.json', ...boms]
    expect(readdirSync(files).sort()).toEqual([...made, 'SHA256SUMS', 'provenance.intoto.json'].sort())
    expect(said).toContain('with a signed provenance')
  })

  test('have the sums that sha256sum finds', () => {
    const { status, stderr } = spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], {
      cwd: files,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(readFileSync(join(files, 'SHA256SUMS'), 'utf8').trim().split('\n')).toHaveLength(
      readdirSync(files).length - 2,
    )
  })

  test('an SBOM names the packages of the lockfile, with their versions', () => {
    const bom = JSON.parse(readFileSync(join(files, 'notify-gateway.cdx.json'), 'utf8'))
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'gateway', version } } })
    const zod = (bom.components as { name: string }[]).find(({ name }) => name === 'zod')
    const wanted = (JSON.parse(readText('package.json')) as { devDependencies: Record<string, string> }).devDependencies
      .zod
    expect(zod).toMatchObject({ version: wanted, purl: `pkg:npm/zod@${wanted}` })
    const console = JSON.parse(readFileSync(join(files, 'notify-console.cdx.json'), 'utf8'))
    expect(console.components).toContainEqual(expect.objectContaining({ name: 'react' }))
    const chart = JSON.parse(readFileSync(join(files, 'chart.cdx.json'), 'utf8'))
    expect(chart.components.map(({ name }: { name: string }) => name).sort()).toEqual([...services, 'provision'].sort())
  })

  test('the provenance names every file, the commit and the lockfile, and its signature is checked', async () => {
    const { payload } = JSON.parse(readFileSync(join(files, 'provenance.intoto.json'), 'utf8'))
    const { subject, predicateType, predicate } = JSON.parse(Buffer.from(payload, 'base64').toString())
    expect(predicateType).toBe('https://slsa.dev/provenance/v1')
    expect(subject).toHaveLength(readdirSync(files).length - 1)
    const [source, lockfile] = predicate.buildDefinition.resolvedDependencies
    expect(source.digest.gitCommit).toMatch(/^[0-9a-f]{40}$/)
    expect(lockfile).toMatchObject({
      uri: 'pnpm-lock.yaml',
      digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect((await verify()).stdout).toContain(`${subject.length} files are those of the signed provenance`)
  })

  test('another key, or a file that somebody changed, is refused', async () => {
    const other = join(folder, 'other.pub')
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writeFileSync(other, publicKey.export({ type: 'spki', format: 'pem' }))
    await expect(verify(other)).rejects.toThrow('not signed with this key')
    const chart = join(files, `notify-${version}.tgz`)
    const before = readFileSync(chart)
    appendFileSync(chart, 'x')
    await expect(verify()).rejects.toThrow(`notify-${version}.tgz is not the released file`)
    writeFileSync(chart, before)
  })

  test('the packages install without this repository, and their code and types work', async () => {
    const project = join(folder, 'project')
    const tarballs = publishedPackages.map((name) => join(files, `notify-${name}-${version}.tgz`))
    await makeProject(project, [...tarballs, ...(await packedDependencies())])
    const server = createServer((_request, response) => {
      response
        .writeHead(202, { 'content-type': 'application/json' })
        .end('{"notification_id":"n1","status":"accepted"}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { stdout } = await run(process.execPath, ['use.ts', url], { cwd: project })
    server.close()
    expect(stdout.trim()).toBe('n1 true true')
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', project])
    for (const name of publishedPackages) {
      const { repository } = JSON.parse(
        readFileSync(join(project, 'node_modules/@notify', name, 'package.json'), 'utf8'),
      )
      expect(repository.url).toBe('git+https://github.com/example/notify.git')
    }
  })

  const use = `import { createInbox } from '@notify/inbox-client'
import { createClient, verifyWebhook } from '@notify/sdk'

const notify = createClient({ url: process.argv[2]!, token: 'key' })
const { notification_id } = await notify.post('/api/v1/notifications', {
  body: { channel: 'sms', event_key: 'order.shipped', recipient: { phone: '+14155550100' }, data: {} },
})
console.log(notification_id, typeof createInbox === 'function', typeof verifyWebhook === 'function')

// @ts-expect-error a misspelt field does not compile
export const misspelt = () => notify.post('/api/v1/notifications', { body: { chanel: 'sms', recipient: 'ada' } })
`

  /** What the packages depend on, from this installation: a test asks no registry. */
  async function packedDependencies(): Promise<string[]> {
    const found = new Map<string, string>()
    const collect = (from: string, names: string[]) => {
      for (const name of names) {
        const manifest = manifestOf(from, name)
        if (found.has(name)) continue
        found.set(name, manifest)
        collect(manifest, Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies ?? {}))
      }
    }
    for (const name of publishedPackages) {
      const manifest = join(root, 'packages', name, 'package.json')
      collect(manifest, Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies))
    }
    // Equal files are links to one, which npm would leave out.
    const packed = [...found].map(async ([name, manifest]) => {
      const file = join(folder, `${name.replaceAll('/', '-')}.tgz`)
      await run('tar', [
        '-czf',
        file,
        '--hard-dereference',
        '--transform',
        's,^[.],package,',
        '-C',
        join(manifest, '..'),
        '.',
      ])
      return file
    })
    return Promise.all(packed)
  }

  function manifestOf(from: string, name: string): string {
    const paths = createRequire(from).resolve.paths(name)!
    return paths.map((path) => join(path, name, 'package.json')).find((file) => readable(file))!
  }

  function readable(file: string): boolean {
    try {
      return readFileSync(file).length > 0
    } catch {
      return false
    }
  }

  async function makeProject(project: string, tarballs: string[]): Promise<void> {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable'],
      strict: true,
      typeRoots: [join(root, 'node_modules/@types')],
      types: ['node'],
    }
    await run('mkdir', [project])
    writeFileSync(join(project, 'package.json'), '{"name":"fresh","version":"1.0.0","type":"module","private":true}')
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
    writeFileSync(join(project, 'use.ts'), use)
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: project })
  }
})

test('a release pushes, signs and describes every image and the chart, and publishes the packages', () => {
  const registry = 'registry.example.com/notify'
  const given = { version, revision: 'abc', registry, nodeImage: 'node@sha256:1', folder: 'files' }
  const commands = publishingCommands(given)
  for (const image of releasedImages) {
    const own = commands.filter((command) => command.includes(`${registry}/${image}:${version}`))
    expect(own.some((command) => /^docker buildx build .*--sbom=true --provenance=mode=max/.test(command))).toBe(true)
    expect(own.some((command) => command.startsWith('cosign sign --yes "registry.example.com/notify/'))).toBe(true)
  }
  expect(commands).toContainEqual(
    expect.stringMatching(
      /^cosign attest .*files\/notify-console\.cdx\.json "registry\.example\.com\/notify\/gateway@/,
    ),
  )
  expect(releasedImages.toSorted()).toEqual([...services, 'provision'].sort())
  expect(commands.filter((command) => command.startsWith('npm publish'))).toHaveLength(publishedPackages.length)
  for (const command of commands) {
    const { status, stderr } = spawnSync('bash', ['-n', '-c', command], { encoding: 'utf8' })
    expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: '' })
  }
})

test('a release needs its version, with a date, in the changelogs of the service and of each package', async () => {
  const repository = join(folder, 'repository')
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(repository, name)), { recursive: true })
    writeFileSync(join(repository, name), text)
  }
  const changelogs = ['CHANGELOG.md', ...publishedPackages.map((name) => `packages/${name}/CHANGELOG.md`)]
  write('charts/notify/Chart.yaml', 'version: 1.2.0\nappVersion: 1.2.0\n')
  for (const name of publishedPackages) write(`packages/${name}/package.json`, '{"version":"1.2.0"}')
  for (const name of changelogs) write(name, '# Changelog\n\n## [1.2.0] - 2026-01-31\n')
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: repository })
  const commit = async () => {
    await git('add', '.')
    await git('commit', '-qm', 'x')
  }
  await git('init', '-q')
  await commit()
  expect(faultsOfRelease(repository, '1.2.0')).toEqual([])
  for (const name of changelogs) write(name, '# Changelog\n\n## [1.2.0] - unreleased\n')
  await commit()
  expect(faultsOfRelease(repository, '1.2.0')).toEqual(
    changelogs.map((name) => expect.stringContaining(`the first section of ${name} is "## [1.2.0] - unreleased"`)),
  )
})

interface Workflow {
  jobs: Record<string, { needs?: string; steps: { run?: string; uses?: string }[] }>
}

test('the workflow is one of GitHub Actions, tests before it releases, and runs the script', async () => {
  const text = readText('.github/workflows/release.yml')
  const { validateWorkflow } = createRequire(import.meta.url)('@action-validator/core') as {
    validateWorkflow(text: string): { errors: unknown[] }
  }
  expect(validateWorkflow(text).errors).toEqual([])
  expect(validateWorkflow(text.replace('runs-on', 'rns-on')).errors).not.toEqual([])
  const { jobs } = parse(text) as Workflow
  expect(jobs.release!.needs).toBe('test')
  const steps = jobs.release!.steps.flatMap(({ run: command }) => command ?? [])
  expect(steps.map((step) => /npm run release( -- images --push)?$/m.exec(step)?.[0]).filter(Boolean)).toEqual([
    'npm run release',
    'npm run release -- images --push',
  ])
})
