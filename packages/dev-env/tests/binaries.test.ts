import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findBinary, requireBinary } from '../src/binaries/find-binary.ts'
import { installMissing } from '../src/binaries/install-missing.ts'
import { type Binary, programsOf } from '../src/binaries/programs.ts'

const onProgress = () => {}
const find = () => undefined

test('a server outside of PATH is found in the usual places', () => {
  expect(findBinary('nats-server', { path: '' })).toMatch(/nats-server$/)
  expect(findBinary('redis-server', { path: '' })).toMatch(/(redis|valkey)-server$/)
})

test('a server that is nowhere is not found', () => {
  expect(findBinary('nats-server', { path: '', places: [] })).toBeUndefined()
})

test('of the browsers, the one without windows is preferred; any other serves as well', () => {
  const folder = mkdtempSync(join(tmpdir(), 'notify-binaries-'))
  const install = (name: string) => writeFileSync(join(folder, name), '', { mode: 0o755 })
  const found = () => findBinary('chromium', { path: folder, places: [] })
  try {
    install('chromium')
    expect(found()).toBe(join(folder, 'chromium'))
    install('chromium-headless-shell')
    expect(found()).toBe(join(folder, 'chromium-headless-shell'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('without a package manager, one line names what is missing, what serves in its place, and the ways without it', async () => {
  await expect(
    installMissing(['nats-server', 'redis-server'], { onProgress, find, manager: undefined }),
  ).rejects.toThrow(
    'install nats-server and redis-server or valkey-server by hand and put them in PATH, or set NATS_URL and REDIS_URL to use a running server',
  )
})

test('without the right to install, one line names the command and the ways without one', async () => {
  const manager = { name: 'apt-get', install: () => ({ byHand: 'sudo apt-get install -y redis-server' }) }
  await expect(installMissing(['redis-server'], { onProgress, find, manager })).rejects.toThrow(
    'redis-server not found: run sudo apt-get install -y redis-server, or put it in PATH, or set REDIS_URL to use a running server',
  )
})

test('a failed installation names its last words and the command', async () => {
  const command = ['sh', '-c', 'echo E: no network >&2; exit 100']
  const manager = { name: 'apt-get', install: () => ({ steps: [{ command }], byHand: 'apt-get install nats-server' }) }
  await expect(installMissing(['nats-server'], { onProgress, find, manager })).rejects.toThrow(
    'nats-server could not be installed (E: no network): run apt-get install nats-server',
  )
})

test('a missing server is installed, and the lines say with what', async () => {
  const lines: string[] = []
  let installed = false
  const manager = {
    name: 'apt-get',
    install: () => ({ steps: [{ command: ['true'] }], byHand: 'apt-get install nats-server' }),
  }
  const findLater = () => {
    const found = installed ? '/usr/sbin/nats-server' : undefined
    installed = true
    return found
  }
  await installMissing(['nats-server'], { onProgress: (line) => lines.push(line), find: findLater, manager })
  expect(lines).toEqual(['nats-server not found: installing with apt-get', 'true'])
})

test('a package that is unknown does not keep the others from being installed', async () => {
  const installed = new Set<Binary>()
  const manager = {
    name: 'apt-get',
    install: (binaries: readonly Binary[]) => {
      const isKnown = !binaries.includes('chromium')
      if (isKnown) for (const each of binaries) installed.add(each)
      const command = isKnown ? ['true'] : ['sh', '-c', 'echo E: Unable to locate package >&2; exit 100']
      return { steps: [{ command }], byHand: `apt-get install ${binaries.join(' ')}` }
    },
  }
  const findLater = (binary: Binary) => (installed.has(binary) ? `/usr/bin/${binary}` : undefined)
  const installing = installMissing(['nginx', 'chromium', 'promtool'], { onProgress, find: findLater, manager })
  await expect(installing).rejects.toThrow(
    /^chromium could not be installed \(E: Unable to locate package\): run apt-get install chromium$/,
  )
  expect([...installed]).toEqual(['nginx', 'promtool'])
})

test('a test that lacks a program fails with its name, and with what installs it', () => {
  expect(() => requireBinary('promtool', { path: '', places: [] })).toThrow(
    "promtool is not installed: npm test installs it (Debian's package prometheus)",
  )
})

test('npm start installs two servers; a run of tests what all tests need, and no tool of benches', () => {
  expect(programsOf('start')).toEqual(['nats-server', 'redis-server'])
  expect(programsOf('test')).toEqual(expect.arrayContaining(['redis-server', 'pgbouncer', 'chromium', 'promtool']))
  expect(programsOf('test')).not.toContain('wrk')
})
