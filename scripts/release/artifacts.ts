// The files of a release: chart, npm packages, the API's description, and an SBOM for each.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { imageNames } from '@notify/bundle/images'
import { serviceNames } from '@notify/contracts'
import { buildPackage } from '../build-package.ts'
import { toolPath } from '../kubernetes-tools.ts'

const root = join(import.meta.dirname, '..', '..')
const pnpm = ['-y', 'pnpm@12']

/** The packages of npm, by folder. */
export const publishedPackages = ['sdk', 'inbox-client']
/** Of the image of the gateway, which serves the console. */
export const consoleBom = 'notify-console.cdx.json'
/** Images of a release, without those for demos. */
export const releasedImages = imageNames.filter((name) => !['carrier-sandbox', 'identity-provider'].includes(name))

/** Writes the files of a release into an empty folder. @returns their names @throws Error when there is no Helm */
export function makeArtifacts(folder: string, version: string): string[] {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const chart = packChart(folder, version)
  const packages = publishedPackages.map((name) => packPackage(folder, name))
  copyFileSync(join(root, 'content/openapi.json'), join(folder, 'openapi.json'))
  const boms = [...packageBoms(folder), chartBom(folder, version)]
  return [chart, ...packages, 'openapi.json', ...boms].sort()
}

function packChart(folder: string, version: string): string {
  const helm = toolPath('helm')
  if (!helm) throw new Error('Helm is not here: set HELM to its path')
  const versions = ['--version', version, '--app-version', version]
  execFileSync(helm, ['package', join(root, 'charts/notify'), ...versions, '--destination', folder])
  return `notify-${version}.tgz`
}

/** Packs one of the packages as it is published. @returns the name of its file */
export function packPackage(folder: string, name: string): string {
  const source = join(root, 'packages', name)
  const built = join(folder, 'built')
  const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: repository } = process.env
  buildPackage(source, built, repository && `${host}/${repository}`)
  const packed = execFileSync('npm', ['pack', built, '--json', '--pack-destination', folder], { encoding: 'utf8' })
  rmSync(built, { recursive: true })
  return JSON.parse(packed)[0].filename
}

/** From the lockfile, with hashes: what the bundles in the images, and the packages, depend on. */
function packageBoms(folder: string): string[] {
  const chosen = [
    ...serviceNames.map((name) => `services/${name}`),
    ...[...publishedPackages, 'console'].map((name) => `packages/${name}`),
  ]
  const filters = chosen.flatMap((path) => ['--filter', `{${path}}`])
  const format = ['--lockfile-only', '--prod', '--sbom-format', 'cyclonedx', '--split']
  const out = join(folder, '%s.cdx.json')
  execFileSync('npx', [...pnpm, ...filters, 'sbom', ...format, '--out', out], { cwd: root, stdio: 'ignore' })
  return chosen.map((path) => `notify-${basename(path)}.cdx.json`)
}

/** A chart consists of images. */
function chartBom(folder: string, version: string): string {
  const component = (type: string, name: string, purl: string) => ({ type, name, version, purl, 'bom-ref': purl })
  const images = releasedImages.map((name) => component('container', name, `pkg:oci/${name}?tag=${version}`))
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', 'notify', `pkg:helm/notify@${version}`) },
    components: images,
    dependencies: [{ ref: `pkg:helm/notify@${version}`, dependsOn: images.map(({ purl }) => purl) }],
  }
  writeFileSync(join(folder, 'chart.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`)
  return 'chart.cdx.json'
}
