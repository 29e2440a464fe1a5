import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { images } from '@notify/bundle/images'
import { mallocSettings } from '@notify/dev-env'
import { entryPoint, imageVariables, instruction, lines, program, stages } from './dockerfile.ts'
import { readText, root, services } from './project.ts'

test('images run the Node that development and tests run on', () => {
  const { devDependencies } = JSON.parse(readText('package.json')) as { devDependencies: { node: string } }
  expect(lines).toContain(`ARG NODE_IMAGE=docker.io/library/node:${devDependencies.node}-slim`)
  const made = lines.flatMap((line) => / AS (\w+)$/.exec(line)?.[1] ?? [])
  const from = stages.map((i) => lines[i]!.split(' ')[1])
  expect(from.filter((name) => !made.includes(name!))).toEqual([`\${NODE_IMAGE}`, `\${NODE_IMAGE}`])
})

test('the process is a numbered user other than root', () => {
  const [user, ...others] = instruction('USER')
  expect(others).toEqual([])
  expect(Number(/^(\d+):\d+$/.exec(user!)![1])).toBeGreaterThan(0)
})

test('the cache of compiled code is filled by the user that reads it: Node keeps one for each', () => {
  const [uid, gid] = instruction('USER')[0]!.split(':')
  const starts = instruction('RUN').flatMap((line) => line.match(/\S+ \S+ node --enable-source-maps/g) ?? [])
  expect(starts).toEqual(Array(2).fill(`--regid=${gid} --clear-groups node --enable-source-maps`))
  const cache = instruction('RUN').find((line) => line.includes('.compile-cache'))!
  expect(cache).toContain(`install -d -o ${uid} -g ${gid} .compile-cache`)
  expect(cache.split(`setpriv --reuid=${uid} --regid=${gid}`)).toHaveLength(1 + starts.length)
})

test('no file of the image gives its caller the rights of another user', () => {
  expect(instruction('RUN')[0]).toMatch(/ && find \/ -xdev -type f -perm \/6000 -exec chmod a-s \{\} \+$/)
})

test('node is process 1, so that SIGTERM reaches it, and stack traces name the sources', () => {
  expect([entryPoint, program]).toEqual([['node', '--enable-source-maps'], ['main.mjs']])
  expect(instruction('WORKDIR')).toEqual(['/app'])
})

test('the image holds what its bundle is made of, by the lockfile, and no package manager', () => {
  const installs = lines.filter((line) => line.includes('pnpm install'))
  // Without --prod pnpm adds the development dependencies of the workspace's root to any filter.
  expect(installs.filter((line) => !line.includes('--prod --frozen-lockfile'))).toEqual([])
  const [install] = installs
  for (const option of ['--prod', '--frozen-lockfile', '--filter "@notify/bundle..."'])
    expect(install).toContain(option)
  expect(instruction('RUN').some((line) => line.includes('rm -rf /usr/local/lib/node_modules'))).toBe(true)
  expect(instruction('COPY')).toEqual(['--from=bundles /image /app'])
  expect(imageVariables).toMatchObject({ NODE_ENV: 'production', ...mallocSettings })
})

test('there is an image for every service, and every program has its source', () => {
  expect(Object.keys(images)).toEqual(expect.arrayContaining(services))
  const sources = Object.values(images).flatMap(({ programs }) => Object.values(programs))
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
})

test('only services are started once to fill the cache of compiled code', () => {
  const [, names] = /case "\$IMAGE" in (\S+)\) ;;/.exec(instruction('RUN').join('\n'))!
  const others = Object.keys(images).filter((name) => !services.includes(name))
  expect(names!.split('|').sort()).toEqual(others.sort())
})

test('the image of the gateway holds the console, built apart', () => {
  expect(lines).toContain('COPY --from=console /app/packages/console/dist packages/console/dist')
  expect(images.gateway!.files).toMatchObject({ 'packages/console/dist': 'packages/console/dist' })
})

test('nothing reaches a build that is not listed, and no secret is', () => {
  const ignored = readText('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
  expect(ignored[0]).toBe('*')
  expect(ignored.filter((line) => line.startsWith('!')).sort()).toEqual([
    '!.pnpmfile.cjs',
    '!LICENSE',
    '!THIRD-PARTY-NOTICES.md',
    '!content',
    '!package.json',
    '!packages',
    '!pnpm-lock.yaml',
    '!pnpm-workspace.yaml',
    '!services',
  ])
  expect(ignored).toEqual(expect.arrayContaining(['**/node_modules', '**/.env*', '**/.local', '**/tests']))
})
