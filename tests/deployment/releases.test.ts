import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { version as reported } from '@notify/service-kit'
import { parse } from 'yaml'
import { readText, root, services } from './project.ts'

const { version } = JSON.parse(readText('package.json')) as { version: string }

const sections = [...readText('CHANGELOG.md').matchAll(/^## \[([^\]]+)\]/gm)].map(([, name]) => name!)
const releases = sections.filter((name, at) => at > 0 || name !== 'Unreleased')

test('the changelog has a section for this release, and below it one for each before', () => {
  expect(releases[0]).toBe(version)
  const descending = releases.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  expect(releases).toEqual(descending)
})

test('the contracts of each release in the changelog are kept', () => {
  const kept = readdirSync(join(root, 'packages/contracts/fixtures'))
  expect(kept.toSorted()).toEqual(releases.toSorted())
})

test('the upgrade guide rolls out every service once, and its sections are of releases in the changelog', () => {
  const guide = readText('docs/upgrading.md')
  const steps = [...guide.matchAll(/^ +\| \d+ +\| ([^|]+) \|/gm)].flatMap(([, names]) => names!.trim().split(', '))
  const rolledOut = steps.map((name) => name.replace(/-(api|worker|sender)$/, ''))
  expect([...new Set(rolledOut)].sort()).toEqual(services)
  const [, ...others] = [...guide.matchAll(/^## (.+)$/gm)].map(([, title]) => title!)
  const minors = releases.map((name) => name.split('.').slice(0, 2).join('.'))
  const titles = minors.slice(0, -1).map((minor, at) => `From ${minors[at + 1]} to ${minor}`)
  expect(others.filter((title) => title !== 'Going back' && !titles.includes(title))).toEqual([])
})

test('processes report this release', () => {
  expect(reported).toBe(version)
})

test('the chart has the version of this release', () => {
  expect(parse(readText('charts/notify/Chart.yaml'))).toMatchObject({ version, appVersion: version })
})

test('security fixes are promised for the release that is current', () => {
  expect(readText('SECURITY.md')).toMatch(
    new RegExp(`^\\| ${version.split('.').slice(0, 2).join('\\.')} +\\| yes`, 'm'),
  )
})

test('every production dependency has a licence that lets the images be distributed', () => {
  const rows = readText('THIRD-PARTY-NOTICES.md')
    .split('\n')
    .filter((line) => /^\| (?!Package|---)/.test(line))
    .map((line) => line.split(' | '))
  expect(rows.length).toBeGreaterThan(50)
  const permissive = /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|CC0-1\.0)( OR .*)?$/
  expect(rows.filter(([, , licence]) => !permissive.test(licence!))).toEqual([])
})
