// Makes a release, the same on a machine as in .github/workflows/release.yml.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeArtifacts } from './release/artifacts.ts'
import { type Build, envelope, openEnvelope, provenance, sha256 } from './release/attestation.ts'
import { publishingCommands } from './release/publishing.ts'
import { faultsOfRelease } from './release/readiness.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const sums = 'SHA256SUMS'
const statementFile = 'provenance.intoto.json'

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const say = (text: string) => process.stdout.write(`${text}\n`)

/** Writes the files of the release, their sums and where they came from. */
function make(folder: string): void {
  const startedAt = new Date().toISOString()
  const files = makeArtifacts(folder, version)
  const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: name, GITHUB_WORKFLOW_REF: workflow } = process.env
  const repository = workflow ? `${host}/${name}` : `file://${root}`
  const build: Build = {
    version,
    revision: git('rev-parse', 'HEAD'),
    repository,
    builder: workflow ? `${host}/${workflow}` : 'urn:notify:release:local',
    invocation: workflow
      ? `${repository}/actions/runs/${process.env.GITHUB_RUN_ID}`
      : `urn:uuid:${crypto.randomUUID()}`,
    startedAt,
    finishedAt: new Date().toISOString(),
  }
  const lines = files.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
  writeFileSync(join(folder, sums), lines.join(''))
  const statement = provenance(folder, [...files, sums], join(root, 'pnpm-lock.yaml'), build)
  const keyFile = process.env.RELEASE_KEY_FILE
  const signed = keyFile ? envelope(statement, readFileSync(keyFile, 'utf8')) : statement
  writeFileSync(join(folder, statementFile), `${JSON.stringify(signed, null, 2)}\n`)
  say(
    `${files.length} files in ${folder}, ${keyFile ? 'with a signed provenance' : 'not signed: RELEASE_KEY_FILE is not set'}`,
  )
}

/** @throws Error naming the file that is not the one of the release */
function verify(folder: string): void {
  const keyFile = process.env.RELEASE_PUBLIC_KEY_FILE
  if (!keyFile) throw new Error('RELEASE_PUBLIC_KEY_FILE names the key that the release was signed with')
  const signed = JSON.parse(readFileSync(join(folder, statementFile), 'utf8'))
  const { subject } = openEnvelope(signed, readFileSync(keyFile, 'utf8'))
  for (const { name, digest } of subject) {
    if (sha256(readFileSync(join(folder, name))) !== digest.sha256) throw new Error(`${name} is not the released file`)
  }
  say(`${subject.length} files are those of the signed provenance`)
}

function publish(push: boolean): void {
  const commands = publishingCommands({
    version,
    revision: git('rev-parse', 'HEAD'),
    registry: process.env.RELEASE_REGISTRY ?? 'registry.example.com/notify',
    nodeImage: process.env.NODE_IMAGE ?? 'docker.io/library/node:24.21.0-slim',
    folder: join('.local', 'release'),
  })
  for (const command of commands) {
    say(command)
    if (push) execFileSync('bash', ['-euo', 'pipefail', '-c', command], { cwd: root, stdio: 'inherit' })
  }
}

const usage = `use: npm run release [-- images [--push] | verify [folder]]
  (nothing)  says what is missing for a release, and writes its files into .local/release
  images     prints the commands that build, push and sign images and chart; --push runs them
  verify     compares files with the provenance that RELEASE_PUBLIC_KEY_FILE has signed`

const [task = 'files', ...args] = process.argv.slice(2)
try {
  if (task === 'images') publish(args.includes('--push'))
  else if (task === 'verify') verify(args[0] ?? join(root, '.local', 'release'))
  else if (task === 'files') {
    const faults = faultsOfRelease(root, version)
    for (const fault of faults) say(`not ready: ${fault}`)
    // A dry run shows what is missing and goes on.
    if (faults.length > 0 && process.env.GITHUB_REF_TYPE === 'tag') throw new Error('the tag is not a release')
    make(process.env.RELEASE_FOLDER ?? join(root, '.local', 'release'))
  } else throw new Error(usage)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
