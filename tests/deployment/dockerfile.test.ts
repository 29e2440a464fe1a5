import { expect, test } from '@jest/globals'
import { readText } from './project.ts'

const lines = readText('infra/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', '')
  .split('\n')
const stages = lines.flatMap((line, i) => (line.startsWith('FROM ') ? [i] : []))
const final = lines.slice(stages.at(-1))

function instruction(name: string): string[] {
  return final.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []))
}

test('images run the Node that development and tests run on', () => {
  const { devDependencies } = JSON.parse(readText('package.json')) as { devDependencies: { node: string } }
  expect(lines).toContain(`ARG NODE_VERSION=${devDependencies.node}`)
  const external = stages.map((i) => lines[i]!).filter((line) => !/^FROM pnpm\b/.test(line))
  for (const line of external) expect(line).toMatch(/^FROM node:\$\{NODE_VERSION\}-slim/)
})

test('the process is a numbered user other than root', () => {
  const [user, ...others] = instruction('USER')
  expect(others).toEqual([])
  expect(Number(/^(\d+):\d+$/.exec(user!)![1])).toBeGreaterThan(0)
})

test('node is process 1, so that SIGTERM reaches it', () => {
  expect(instruction('ENTRYPOINT').map((text) => JSON.parse(text))).toEqual([['node']])
  expect(instruction('CMD').map((text) => JSON.parse(text))).toEqual([['src/main.ts']])
})

test('the health check needs no shell and asks the port that the service listens on', () => {
  const [check] = instruction('HEALTHCHECK')
  const command = JSON.parse(/CMD (\[.*\])$/.exec(check!)![1]!) as string[]
  expect(command.slice(0, 2)).toEqual(['node', '-e'])
  expect(command[2]).toContain("process.env.PORT + '/healthz'")
})

test('the image holds production dependencies, by the lockfile, and no package manager', () => {
  const install = lines.find((line) => line.includes('pnpm install'))
  for (const option of ['--prod', '--frozen-lockfile', '--filter']) expect(install).toContain(option)
  expect(instruction('RUN').some((line) => line.includes('rm -rf /usr/local/lib/node_modules'))).toBe(true)
  for (const line of instruction('COPY')) expect(line).toMatch(/^--from=(dependencies|sources) /)
  expect(instruction('ENV')).toContain('NODE_ENV=production')
})

test('the image of the gateway holds the console, built apart from the production dependencies', () => {
  const text = lines.join('\n')
  expect(text).toContain('COPY --from=console /app/packages/console/dist packages/console/dist')
  expect(text).toMatch(
    /if \[ -d \/image\/services\/gateway \]; then cp -a --parents content packages\/console\/dist \/sources; fi/,
  )
})

test('nothing reaches a build that is not listed, and no secret is', () => {
  const ignored = readText('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  expect(ignored[0]).toBe('*')
  expect(ignored.filter((line) => line.startsWith('!')).sort()).toEqual([
    '!.pnpmfile.cjs',
    '!content',
    '!package.json',
    '!packages',
    '!pnpm-lock.yaml',
    '!pnpm-workspace.yaml',
    '!services',
  ])
  expect(ignored).toEqual(expect.arrayContaining(['**/node_modules', '**/.env*', '**/.local', '**/tests']))
})
