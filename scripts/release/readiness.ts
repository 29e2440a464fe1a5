// What has to be true of a commit before it becomes a release.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { publishedPackages } from './artifacts.ts'

/** @returns one line for each thing that is missing */
export function faultsOfRelease(root: string, version: string): string[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const chart = parse(read('charts/notify/Chart.yaml')) as { version: string; appVersion: string }
  const changelogs = ['CHANGELOG.md', ...publishedPackages.map((name) => `packages/${name}/CHANGELOG.md`)]
  const headings = changelogs.map((file) => [file, read(file).match(/^## \[.*$/m)?.[0] ?? ''] as const)
  const isReleased = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}$`)
  const tag = process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined
  const versions = publishedPackages.map((name) => [
    `packages/${name}`,
    JSON.parse(read(`packages/${name}/package.json`)).version as string,
  ])
  const named = [['charts/notify', chart.version], ['its appVersion', chart.appVersion], ...versions]
  return [
    ...named.flatMap(([what, found]) => (found === version ? [] : `${what} has version ${found}, not ${version}`)),
    ...headings.flatMap(([file, heading]) =>
      isReleased.test(heading) ? [] : `the first section of ${file} is "${heading}", not [${version}] with a date`,
    ),
    ...(tag === undefined || tag === `v${version}` ? [] : [`the tag is ${tag}, not v${version}`]),
    ...(git('status', '--porcelain') === '' ? [] : ['files are not committed']),
  ]
}
