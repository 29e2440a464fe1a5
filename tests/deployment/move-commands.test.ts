import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { requireBinary } from '@notify/dev-env'
import { readText } from './project.ts'

const [, moving] = /^## Moving a tenant to another cell\n([\s\S]*?)^## /m.exec(readText('docs/operations.md'))!
const lines = [...moving!.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text]) => text!.replace(/^ +/gm, ''))

const folder = mkdtempSync(join(tmpdir(), 'notify-move-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** In place of the pod: it runs here what \`kubectl exec\` would run there, with its input only if that is asked for. */
const kubectl = `#!/bin/bash
echo "kubectl $*" >> '${folder}/calls'
[[ " $* " == *' -i '* ]] && input=/dev/stdin || input=/dev/null
while [ "$1" != -- ]; do [[ "$1" == deploy/* ]] && export DEPLOYMENT="\${1#deploy/}"; shift; done
shift
cat "$input" | "$@"
`
/** In place of the service: an import notes what it has read, and under which key. */
const node = `#!/bin/bash
if [ "$2" = export-tenant ]; then echo "rows of $DEPLOYMENT under $TRANSPORT_KEY"
else
  echo "$DEPLOYMENT has $(cat) and $TRANSPORT_KEY" >> '${folder}/imports'
  echo "imported $DEPLOYMENT" >> '${folder}/calls'
fi
`

beforeAll(() => {
  writeFileSync(join(folder, 'kubectl'), kubectl, { mode: 0o755 })
  writeFileSync(join(folder, 'node'), node, { mode: 0o755 })
  writeFileSync(join(folder, 'openssl'), '#!/bin/sh\necho c2VjcmV0\n', { mode: 0o755 })
  writeFileSync(join(folder, 'lines'), lines.join(''))
  // With job control, as in a shell that somebody uses: a job in the background that reads the terminal is stopped.
  const inTerminal = "import os, pty; exit(os.waitstatus_to_exitcode(pty.spawn(['bash', '-m', 'lines'])))"
  const { status } = spawnSync(requireBinary('python3'), ['-c', inTerminal], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}` },
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: 120_000,
  })
  expect(status).toBe(0)
})

const textOf = (file: string) => readFileSync(join(folder, file), 'utf8')

test('the lines of a move run to their end in a terminal, with one key, which no argument contains', () => {
  const imports = textOf('imports').trim().split('\n')
  const deployments = ['gateway', 'dispatch-worker', 'callbacks', 'consent', 'otp', 'inbox-stream', 'webhook-delivery']
  // Once for the rehearsal, and once for the move; callbacks and gateway once before it.
  const expected = [...deployments, ...deployments, 'callbacks', 'gateway'].map(
    (name) => `${name} has rows of ${name} under c2VjcmV0 and c2VjcmV0`,
  )
  expect(imports.toSorted()).toEqual(expected.toSorted())
  expect(imports.at(-1)).toMatch(/^gateway /)
  expect(textOf('calls')).not.toContain('c2VjcmV0')
})

test('callbacks are forwarded before anything else of the tenant is handed over, so that no STOP is missed', () => {
  const calls = textOf('calls').split('\n')
  const handOvers = calls.filter((call) => call.includes('--to new'))
  expect(handOvers.map((call) => /deploy\/(\S+)/.exec(call)?.[1]).slice(0, 2)).toEqual(['callbacks', 'gateway'])
  const [first, second] = handOvers.map((call) => calls.indexOf(call))
  expect(calls.slice(first, second)).toContain('imported callbacks')
})

test('the new cell leads to the old one until it can take over: requests wait there before, and callbacks end it last', () => {
  const calls = textOf('calls').split('\n')
  const arriving = calls.filter((call) => call.includes('--arriving')).map((call) => /deploy\/(\S+)/.exec(call)![1])
  expect([arriving.at(0), arriving.at(-1)]).toEqual(['gateway', 'callbacks'])
  expect(arriving.indexOf('callbacks')).toBe(arriving.length - 1)
  const left = calls.findIndex((call) => call.includes('deploy/gateway') && call.includes('--to new'))
  expect(calls.slice(0, left).filter((call) => call.includes('--arriving'))).toHaveLength(1)
  const imported = (name: string) => calls.lastIndexOf(`imported ${name}`)
  expect(imported('callbacks')).toBeGreaterThan(Math.max(imported('dispatch-worker'), imported('consent')))
})
